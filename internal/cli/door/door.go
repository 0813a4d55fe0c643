// Package door is inferometer URL: it measures a server that runs with nothing else typed. What the
// server is and a load that suits it are found out, and given to bench serve.
package door

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/spec"
)

// Is says whether a command line is one of this package: an address, be it behind flags.
func Is(args []string) bool {
	return spec.LooksLikeAddress(args[0]) ||
		strings.HasPrefix(args[0], "-") && slices.ContainsFunc(args, func(a string) bool {
			_, value, _ := strings.Cut(a, "=")
			return spec.LooksLikeAddress(a) || strings.HasPrefix(a, "--") && spec.LooksLikeAddress(value)
		})
}

const help = `Usage: inferometer URL [flags of bench serve]

Measure a running server. A few small requests find out what it is, which model
it serves and what load suits it; the run takes about half a minute. The bench
serve command that does the same is printed first: copy it to change the load.
Flags of bench serve may follow the URL and override what was found out.

Examples:
  inferometer http://localhost:8000
  inferometer :11434 --model llama3.2
  inferometer http://gpu-box:8000 --max-concurrency 32 --duration 2m

inferometer bench serve --help lists the flags.
`

// visit is one run of the command.
type visit struct {
	command.Streams
	set   *argv.Set
	typed option.Settings
	quiet bool
	found *prepare.Found
}

// Run measures the server that args name.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set, o := serve.Flags()
	set.Typed("inferometer")
	set.Elsewhere(s.Elsewhere)
	switch err := set.Parse(args); {
	case errors.Is(err, argv.ErrHelp):
		_, err := fmt.Fprint(s.Out, help)
		return err
	case errors.Is(err, argv.ErrHelpAll):
		set.HelpAll(s.Out, command.TerminalWidth(s.Out))
		return nil
	case len(set.Args()) > 0 && spec.LooksLikeAddress(set.Args()[0]):
		return &argv.UsageError{Text: "two servers are given, and this measures one", Hint: "inferometer ab URL URL compares them, and --targets URL,URL loads them as one"}
	case err != nil:
		return err
	}
	v := &visit{Streams: s, set: set, typed: set.Given(), quiet: o.Quiet || o.PrintSpec}
	line := command.NewLine(s.Err)
	if v.quiet {
		line = command.NewPlain(s.Err)
	}
	// Until the load begins nothing is worth waiting for: the first Ctrl-C ends it.
	asking, stop := signal.NotifyContext(ctx, command.StopSignals()...)
	chosen, err := v.choose(asking, line)
	line.Clear()
	stopped := asking.Err() != nil && ctx.Err() == nil
	stop()
	if stopped {
		return command.Exit(command.ExitPartial, errors.New("stopped before the load began"))
	}
	if err != nil {
		return err
	}
	if !v.quiet {
		fmt.Fprintf(s.Err, "\nThe same as: %s\n\n", shlex.Join(append([]string{"inferometer", "bench", "serve"}, set.Hidden(chosen).Words()...)))
	}
	return serve.BenchBrief(ctx, s, chosen)
}

// choose finds out what the server is, tries it, and gives the settings of the run, what was typed
// among them.
func (v *visit) choose(ctx context.Context, line *command.Line) (option.Settings, error) {
	if !v.set.Seen("base-url") {
		return nil, &argv.UsageError{Text: "an address is given, but not as the server's", Hint: "write inferometer URL, or --base-url URL"}
	}
	asked, host, err := serve.SpecAndHost(v.Streams, v.settled())
	if err != nil {
		return nil, err
	}
	line.Set("asking %s what it is", asked.URLs[0])
	if v.found, err = prepare.Discover(ctx, asked, host); err != nil {
		return nil, withOthers(ctx, asked.URLs[0], err)
	}
	way, tried, err := v.try(ctx, line)
	if err != nil {
		return nil, err
	}
	l := choose(v.found, tried, way.pooling)
	if v.given("num-prompts") {
		l.concurrency = min(l.concurrency, asked.NumPrompts) // more could not be filled
	}
	if !v.quiet {
		var b strings.Builder
		table.Line(&b, "", v.describe(asked.URLs[0], way, &tried.Alone), command.ResultWidth(v.Err))
		line.Print("%s", strings.TrimSuffix(b.String(), "\n"))
	}
	return v.settings(way, l), nil
}

// settled is what was typed, with any backend and load: which they will be is not known yet.
func (v *visit) settled() option.Settings {
	to := v.typed
	if !v.given("backend") {
		to = to.With("backend", spec.BackendAuto)
	}
	if !v.given(paced...) {
		to = to.With("max-concurrency", "1")
	}
	return to
}

// given says whether one of the flags was typed.
func (v *visit) given(flags ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return v.set.Lookup(f) != nil && v.set.Seen(f) })
}

// pathGiven says whether it was typed where requests go, by itself or with the address.
func (v *visit) pathGiven() bool {
	return v.set.Seen("endpoint") || slices.ContainsFunc(v.typed, func(one option.Setting) bool {
		if one.Flag != "base-url" {
			return false
		}
		address, err := spec.ReadAddress(one.Flag, one.Values[0])
		return err == nil && address.Endpoint != ""
	})
}

// way is one manner to ask the server for text.
type way struct {
	backend string
	model   string // empty: the first that the server lists
	pooling bool
}

// ways are the protocols to try, the best first. A server that has a chat is asked by it,
// as its users do.
func (v *visit) ways() (all []way) {
	q := v.found.Quirks()
	if v.found.Kind == "" {
		q = target.Quirks{Text: spec.BackendOpenAI, Chat: spec.BackendChat}
	}
	backends := slices.DeleteFunc([]string{q.Chat, q.Text, q.Embeddings}, func(name string) bool { return name == "" })
	switch {
	case v.given("backend"):
		backends = []string{""} // as typed
	case v.pathGiven():
		backends = []string{spec.BackendAuto}
	}
	model := ""
	if !v.given("model") && len(v.found.Models) > 0 && v.found.Models[0].ID != v.found.First {
		model = v.found.Models[0].ID
	}
	for i, backend := range backends {
		if !slices.Contains(backends[:i], backend) {
			all = append(all, way{backend: backend, model: model, pooling: backend != "" && backend == q.Embeddings})
		}
	}
	return all
}

// try sends a few small requests in each way until one is answered.
func (v *visit) try(ctx context.Context, line *command.Line) (*way, *prepare.Tried, error) {
	var first error
	for _, w := range v.ways() {
		if w.pooling && !unsupported(first) {
			break
		}
		line.Set("trying a few small requests (slower if the model must be loaded first)")
		asked, host, err := serve.SpecAndHost(v.Streams, v.small(&w))
		if err != nil {
			return nil, nil, err
		}
		host.Say = nil // what there is to say comes with the run
		tried, err := prepare.Try(ctx, asked, host)
		if err == nil {
			w.backend, w.pooling = asked.Backend, asked.API().Pooling // auto is settled
			return &w, tried, nil
		}
		if first == nil {
			first = err
		}
		var no *prepare.TryError
		if !errors.As(err, &no) || no.Status < http.StatusBadRequest || no.Status == http.StatusTooManyRequests {
			break // not a matter of the protocol
		}
	}
	var no *prepare.TryError
	if errors.As(first, &no) {
		return nil, nil, fmt.Errorf("the server does not answer a small request (%s): look at its log, or name another --model or --backend", no)
	}
	return nil, nil, first
}

// unsupported says that a server does not generate text at all, as one that only embeds; nil is
// for one that was not asked to.
func unsupported(err error) bool {
	var no *prepare.TryError
	if err == nil {
		return true
	}
	return errors.As(err, &no) && (slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, no.Status) ||
		strings.Contains(strings.ToLower(no.Words), "not support"))
}

// small are the settings of the requests that are tried: those of the server, and short texts.
func (v *visit) small(w *way) option.Settings {
	asked := v.typed.Without(func(flag string) bool {
		f := v.set.Lookup(flag)
		if f == nil { // --extra-body.KEY
			return !strings.HasPrefix(flag, "extra-body.")
		}
		return !slices.Contains([]string{"Server and model", "Request content"}, f.Group) && !slices.Contains([]string{"proxy", "http2", "engine", "request-timeout", "no-keep-alive"}, flag)
	})
	asked = append(asked, w.settings()...)
	return append(asked, option.Settings{
		{Flag: "dataset-name", Values: []string{"random"}},
		{Flag: "random-input-len", Values: []string{strconv.Itoa(smallPrompt)}},
		{Flag: "random-output-len", Values: []string{strconv.Itoa(smallAnswer)}},
		{Flag: "num-prompts", Values: []string{"1"}},
		{Flag: "num-warmups", Values: []string{strconv.Itoa(2 + atOnce(v.found))}},
		{Flag: "seed", Values: []string{strconv.Itoa(seed())}},
	}...)
}

// The lengths of the requests that are tried: short enough for a slow CPU.
const (
	smallPrompt = 32
	smallAnswer = 16
)

// seed gives prompts that the server has not seen: its cache would answer for it.
func seed() int { return int(time.Now().UnixMilli() % 1_000_000_000) }

func (w *way) settings() (to option.Settings) {
	to.Text("backend", w.backend)
	if w.model != "" { // a name that a server gave is looked up nowhere
		to.Add("model", w.model)
		to.Add("skip-tokenizer-init")
	}
	return to
}

// settings are those of the run: what was found out, and behind it what was typed, which wins.
func (v *visit) settings(w *way, l shape) option.Settings {
	isServer := func(flag string) bool { return flag == "base-url" }
	to := v.typed.Without(func(flag string) bool { return !isServer(flag) })
	if !v.given("backend") {
		to.Add("backend", w.backend)
	}
	if w.model != "" {
		to = append(to, (&way{model: w.model}).settings()...)
	}
	if !v.given("dataset-name", "dataset-path") {
		to.Add("dataset-name", "random")
		if !v.given("random-input-len", "input-len", "input-len-dist") {
			to.Add("random-input-len", strconv.Itoa(l.input))
		}
		if !v.given("random-output-len", "output-len", "output-len-dist") && !w.pooling {
			to.Add("random-output-len", strconv.Itoa(l.output))
		}
	}
	if !v.given(paced...) {
		to.Add("max-concurrency", strconv.Itoa(l.concurrency))
	}
	if !v.given(bounded...) {
		to.Add("num-prompts", strconv.Itoa(l.requests))
		to.Span("duration", l.duration)
	}
	if !v.given("seed") {
		to.Add("seed", strconv.Itoa(seed()))
	}
	return append(to, v.typed.Without(isServer)...)
}

// paced are flags that say when requests are sent, and bounded those that say when a run is over.
var (
	paced   = []string{"max-concurrency", "request-rate", "users", "qps", "stages", "ramp-rate", "ramp-up-strategy", "max-conversations", "dataset-path"}
	bounded = []string{"num-prompts", "duration", "until", "stages", "ramp-rate", "dataset-path"}
)

// describe says what was found, in words that a server can't add lines to.
func (v *visit) describe(base string, w *way, speed *prepare.Speed) string {
	name := v.found.Name()
	if name == "" {
		name = "An unidentified server"
	}
	words := fmt.Sprintf("%s at %s", outside.Line(name, 80), outside.RedactURL(base))
	if model := modelWords(v, w); model != "" {
		words += ", " + model
	}
	if v.found.Slots > 0 {
		words += fmt.Sprintf(", %d at a time", v.found.Slots)
	}
	if w.pooling {
		return words + fmt.Sprintf(". It embeds %d tokens in %s.", speed.Prompt, span(speed.First))
	}
	words += fmt.Sprintf(". One request alone: first token after %s", span(speed.First))
	if speed.Gap > 0 {
		words += fmt.Sprintf(", then %s tokens/s", number.Short(float64(time.Second)/float64(speed.Gap)))
	}
	return words + "."
}

func modelWords(v *visit, w *way) string {
	if v.set.Seen("model") || len(v.found.Models) == 0 {
		return ""
	}
	name := v.found.First
	if w.model != "" {
		name = w.model
	}
	words := "model " + outside.Line(name, 80)
	if n := len(v.found.Models); n > 1 {
		words += fmt.Sprintf(" (of %d; --model picks another)", n)
	}
	return words
}

// span is a time as people read it.
func span(d time.Duration) string {
	if d >= time.Second {
		return number.Short(d.Seconds()) + " s"
	}
	return number.Short(float64(d)/float64(time.Millisecond)) + " ms"
}
