// Package tokenize is the command tokenize: what a text becomes.
package tokenize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/tokens"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/spec"
)

// options are the flags of tokenize.
type options struct {
	tokenizer, revision, server, model, file, decode string
	chat, json                                       bool
	special                                          *bool
	shared                                           workload.Shared // of which the template's two are flags here
}

// mostText bounds what is read.
const mostText = 64 << 20

func flags(o *options) *argv.Set {
	set := argv.New("inferometer tokenize",
		"Show what a text becomes: the ids of its tokens, the tokens, how many there are, and the bytes of each. The text is the argument, a file, or standard input. "+
			"Invisible and control characters are shown as escapes.")
	set.Example("By a model's tokenizer, by its name or its path", "inferometer tokenize --tokenizer Qwen/Qwen3-8B 'Hello world'")
	set.Example("By a server, as a run without --tokenizer would count", "inferometer tokenize --base-url http://127.0.0.1:8000 'Hello world'")
	set.Example("As a chat: the model's template makes the text", `inferometer tokenize --tokenizer ./Qwen3-8B --chat --chat-template-kwargs '{"enable_thinking": false}' 'Hi'`)
	set.Example("A whole conversation, with its tools", "inferometer tokenize --tokenizer ./Qwen3-8B --chat --file request.json")
	set.Example("Back to text", "inferometer tokenize --tokenizer ./Qwen3-8B --decode 9707,1879")
	set.Operands("TEXT", 0, 1)
	set.String(&o.tokenizer, "tokenizer", "", "A tokenizer.json, a folder that holds one, or a model's name: from Hugging Face's cache, or the hub.", argv.Metavar("PATH"))
	set.String(&o.revision, "tokenizer-revision", "", "The branch, tag or commit of a tokenizer that is named by its model.", argv.Metavar("REVISION"), argv.Shown("main"))
	set.String(&o.server, "base-url", "", "A server, asked by POST /tokenize and /detokenize.", argv.Server(), argv.Metavar("URL"), argv.Redact(outside.RedactURL))
	set.String(&o.model, "model", "", "The model to name to the server.", argv.Shown("the first that it lists"), argv.Metavar("NAME"))
	set.String(&o.file, "file", "", "Read the text from a file; - is standard input.", argv.Short('f'), argv.Metavar("FILE"))
	set.String(&o.decode, "decode", "", "Show the text of these ids, as in 9707,1879.", argv.Metavar("IDS"))
	set.Bool(&o.chat, "chat", "Render the model's chat template first. The text is one user's message, or JSON: a list of messages, or a chat request with messages and tools.")
	for _, f := range option.Fields(&o.shared) {
		if strings.HasPrefix(f.Flag, "chat-template-") {
			set.Option(f, func(texts []string) error { return f.SetTexts(&o.shared, texts) })
		}
	}
	set.TriBool(&o.special, "special-tokens", "Add the tokens that the model expects around a text, such as <s>. By default they are added, but not with --chat, whose template has them, and not with --base-url.")
	set.Bool(&o.json, "json", "Print one JSON object.")
	return set
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	var o options
	set := flags(&o)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.check(set); err != nil {
		return err
	}
	r, err := o.result(ctx, s, set)
	if err != nil {
		return err
	}
	if o.json {
		return r.writeJSON(s.Out)
	}
	return r.writeTable(s.Out)
}

func (o *options) check(set *argv.Set) error {
	texts := len(set.Args())
	for _, given := range []string{o.file, o.decode} {
		if given != "" {
			texts++
		}
	}
	switch {
	case o.tokenizer == "" && o.server == "":
		return &argv.UsageError{Text: "a tokenizer is needed: --tokenizer PATH, or --base-url URL"}
	case o.tokenizer != "" && o.server != "":
		return argv.Errorf("base-url", "can't be used with --tokenizer: it is one or the other")
	case texts > 1:
		return &argv.UsageError{Text: "give one text: as the argument, with --file, or as ids with --decode"}
	case o.chat && o.server != "":
		return argv.Errorf("chat", "needs --tokenizer: a server's template is applied behind its chat endpoint")
	case o.chat && o.decode != "":
		return argv.Errorf("chat", "can't be used with --decode")
	case o.server != "" && o.special != nil && *o.special:
		return argv.Errorf("special-tokens", "can't be used with --base-url: a run asks it for the tokens of the text alone")
	case o.model != "" && o.server == "":
		return argv.Errorf("model", "goes with --base-url")
	}
	for _, name := range []string{"chat-template-kwargs", "chat-template-date"} {
		if set.Seen(name) && !o.chat {
			return argv.Errorf(name, "goes with --chat")
		}
	}
	if o.server != "" {
		address, err := spec.ReadAddress("base-url", o.server)
		o.server = address.Base
		return err
	}
	return nil
}

// openFile opens what --tokenizer names.
func (o *options) openFile(ctx context.Context, s command.Streams) (prompts.Tokenizer, error) {
	host := &prepare.Host{
		Environment: spec.Environment{Release: command.Release(), Lookup: os.LookupEnv, Proxy: http.ProxyFromEnvironment},
		Say:         func(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) },
	}
	place, _, err := host.NamedTokenizer(ctx, o.tokenizer, o.revision)
	if err != nil {
		return nil, err
	}
	return tokens.Load(place)
}

// result finds the tokenizer and asks it.
func (o *options) result(ctx context.Context, s command.Streams, set *argv.Set) (*result, error) {
	var t prompts.Tokenizer
	var err error
	if o.server != "" {
		t, err = o.openServer(ctx)
	} else {
		t, err = o.openFile(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if o.decode != "" {
		ids, err := parseIDs(o.decode)
		if err != nil {
			return nil, argv.Errorf("decode", "%v", err)
		}
		return decoded(t, ids)
	}
	text, err := o.text(s, set.Args())
	if err != nil {
		return nil, err
	}
	if o.chat {
		if text, err = o.render(t, text); err != nil {
			return nil, err
		}
	}
	special := o.server == "" && !o.chat
	if o.special != nil {
		special = *o.special
	}
	return encoded(t, text, special)
}

func (o *options) openServer(ctx context.Context) (prompts.Tokenizer, error) {
	client := &http.Client{Timeout: 30 * time.Second}
	base := strings.TrimRight(o.server, "/")
	if o.model == "" {
		models, err := target.At(base, serve.APIKeyHeader(), client).Models(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask %s for its model: %w; is the server up? Name the model with --model", outside.RedactURL(base), err)
		}
		if len(models) == 0 {
			return nil, fmt.Errorf("%s lists no model: name it with --model", outside.RedactURL(base))
		}
		o.model = models[0].ID
	}
	return tokens.NewServer(ctx, client, base, o.model, serve.APIKeyHeader())
}

// text is what the user wants to see tokenized.
func (o *options) text(s command.Streams, args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	in := s.In
	if o.file != "" && o.file != "-" {
		f, err := os.Open(o.file)
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, mostText+1))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	if len(b) > mostText {
		return "", errors.New("the text is longer than 64 MiB")
	}
	return string(b), nil
}
