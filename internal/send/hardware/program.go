package hardware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/process"
)

// maxOutput is what a program may print; 64 devices of amd-smi are some 2 MB.
const maxOutput = 8 << 20

// program is a vendor's tool. It is asked anew for each sample: a tool that runs on may hold
// its output back in a buffer, or outlive us.
type program struct{ name, path string }

func (w *world) program(name string) *program {
	path, _ := w.look(name) // an empty path is told of when it is run
	return &program{name, path}
}

func (w *world) has(name string) bool {
	_, err := w.look(name)
	return err == nil
}

// run gives what the program printed, also where it failed. It has no shell and no input, and
// ends with ctx, its children too.
func (p *program) run(ctx context.Context, args ...string) ([]byte, error) {
	if p.path == "" {
		return nil, fmt.Errorf("there is no %s in PATH", p.name)
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	var out, failure limited
	out.most, failure.most, failure.rest = maxOutput, 4096, true
	cmd.Stdout, cmd.Stderr = &out, &failure
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	process.Apart(cmd)
	cmd.Cancel = func() error { return process.Kill(cmd) }
	cmd.WaitDelay = 200 * time.Millisecond // a child that left the group may hold the pipe
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not answer in time", p.name)
	case out.over:
		return nil, fmt.Errorf("%s printed more than %d MiB", p.name, maxOutput>>20)
	case err == nil:
		return out.buffer.Bytes(), nil
	}
	return out.buffer.Bytes(), fmt.Errorf("%s failed (%s)%s", p.name, exitWords(err), said(failure.buffer.Bytes(), out.buffer.Bytes()))
}

func exitWords(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ProcessState.String()
	}
	return outside.Sentence(err.Error())
}

// said is the first line that a program printed, to stderr or else to stdout.
func said(texts ...[]byte) string {
	for _, b := range texts {
		line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
		if line != "" {
			return ": " + outside.Line(line, 200)
		}
	}
	return ""
}

// limited keeps the first bytes, and ends the program that writes more. The buffer is not
// embedded: its ReadFrom would take all.
type limited struct {
	buffer bytes.Buffer
	most   int
	rest   bool // what is too much is passed over instead
	over   bool
}

func (l *limited) Write(b []byte) (int, error) {
	switch room := l.most - l.buffer.Len(); {
	case len(b) <= room:
	case l.rest:
		l.buffer.Write(b[:room])
		return len(b), nil
	default:
		l.over = true
		return 0, errors.New("too much output")
	}
	return l.buffer.Write(b)
}
