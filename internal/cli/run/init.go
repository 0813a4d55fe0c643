package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/plan/draft"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// initOptions are the flags of init.
type initOptions struct {
	baseURL, out string
	force        bool
}

// Init is the command init.
func Init(ctx context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer init",
		"Ask a running server what it is and write a commented scenario for it, which inferometer run takes as it is.")
	set.Example("For a server on this machine", "inferometer init http://127.0.0.1:8000")
	set.Example("To the terminal", "inferometer init http://gpu-box:8000 -o -")
	var o initOptions
	set.String(&o.baseURL, "base-url", "http://127.0.0.1:8000", "The server.", argv.Metavar("URL"), argv.Server(), argv.Redact(outside.RedactURL))
	set.String(&o.out, "output", "scenario.yaml", "The file to write; - is standard output.", argv.Output(), argv.Metavar("FILE"))
	set.Bare(spec.LooksLikeAddress, "base-url")
	set.Bool(&o.force, "force", "Overwrite an existing file.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	address, err := spec.ReadAddress("base-url", o.baseURL)
	if err != nil {
		return err
	}
	o.baseURL = address.Base
	text, err := o.write(ctx)
	if err != nil {
		return err
	}
	if o.out == "-" {
		_, err := s.Out.Write(text)
		return err
	}
	return o.save(s, text)
}

func (o *initOptions) save(s command.Streams, text []byte) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if o.force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(o.out, mode, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: give another file with -o, or --force", o.out)
	}
	if err != nil {
		return fmt.Errorf("write the scenario: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the scenario: %w", err)
	}
	fmt.Fprintf(s.Err, "wrote %s; next: inferometer run %s\n", o.out, o.out)
	return nil
}

// write asks the server and fills in the template.
func (o *initOptions) write(ctx context.Context) ([]byte, error) {
	t := target.At(o.baseURL, serve.APIKeyHeader(), &http.Client{Timeout: 10 * time.Second})
	models, err := t.Models(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask %s what it is: %w; is the server up? Give its address with --base-url", t.Base, err)
	}
	if len(models) == 0 {
		return nil, fmt.Errorf("%s lists no model under /v1/models", t.Base)
	}
	slots, maxLen := t.Slots(ctx)
	return draft.Scenario(t.Base, t.Identify(ctx), models[0], slots, maxLen), nil
}
