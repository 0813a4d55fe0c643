// Package serve is the commands that send a load to servers that run: bench serve, exec and
// bench throughput; and their flags, for all commands that send one.
package serve

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/fleet/lead"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/spec"
)

// serveRun is a run of bench serve, and of the other commands that send a load, from
// its options to its result.
type serveRun struct {
	*Options
	command.Streams
	host   *bench.Host
	screen *view.Screen // nil: there is none
	run    finished
	judged *slo.Judgement // nil: no SLO was given
	told   *exporting
	events *events // nil: none are written
}

func Bench(ctx context.Context, s command.Streams, args []string) error {
	set, o := Flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	return send(ctx, s, set, o, o.Typed(set, args), "bench", "serve")
}

// BenchLaid is bench serve with settings of another command, and over them what was typed for it.
func BenchLaid(ctx context.Context, s command.Streams, settings option.Settings, args []string) error {
	set, o := Flags()
	if err := set.Lay(settings); err != nil {
		return err
	}
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	return send(ctx, s, set, o, append(set.Hidden(settings).Words(), o.Typed(set, args)...), "bench", "serve")
}

// BenchBrief is bench serve with settings that were found out, for somebody who typed none: the
// answer and the page, and no notes.
func BenchBrief(ctx context.Context, s command.Streams, settings option.Settings) error {
	set, o := Flags()
	if err := set.Lay(settings); err != nil {
		return err
	}
	o.brief = true
	return send(ctx, s, set, o, set.Hidden(settings).Words(), "bench", "serve")
}

// SpecAndHost is the run that settings ask for, and this process as it knows it. No server is asked.
func SpecAndHost(s command.Streams, settings option.Settings) (*spec.Spec, *prepare.Host, error) {
	set, o := Flags()
	if err := set.Lay(settings); err != nil {
		return nil, nil, err
	}
	if err := o.Check(set); err != nil {
		return nil, nil, err
	}
	return &o.Spec, &o.RunHost(s).Host, nil
}

// Small are requests of one shape, for commands that time single ones.
type Small struct {
	Input, Output, Count int
	Seed                 int // prompts of another seed are in no cache
}

// NewProber makes small requests ready. The settings say where they go.
func NewProber(ctx context.Context, s command.Streams, to option.Settings, small Small) (*prepare.Prober, error) {
	to.Add("skip-tokenizer-init")
	to.Add("dataset-name", "random")
	to.Add("random-input-len", strconv.Itoa(small.Input))
	to.Add("random-output-len", strconv.Itoa(small.Output))
	to.Add("num-prompts", "1")
	to.Add("num-warmups", strconv.Itoa(small.Count))
	to.Add("seed", strconv.Itoa(small.Seed))
	asked, host, err := SpecAndHost(s, to)
	if err != nil {
		return nil, err
	}
	host.Say = nil
	return prepare.NewProber(ctx, asked, host)
}

// Typed returns arguments as they may be shown: without secrets, and without what only prints the Spec.
func (o *Options) Typed(set *argv.Set, args []string) []string {
	if o.PrintSpec {
		args = set.Without(args, func(f *argv.Flag) bool { return f.Name == "print-spec" })
	}
	return set.Redacted(args)
}

// send does what parsed flags ask for: it checks them, sends the load and shows its result.
// name is the command's, and typed what was typed behind it, as it may be shown.
func send(ctx context.Context, s command.Streams, set *argv.Set, o *Options, typed []string, name ...string) error {
	o.Asking(ctx, s)
	if err := o.Check(set); err != nil {
		return err
	}
	if err := o.checkEvents(); err != nil {
		return err
	}
	o.Command = slices.Concat([]string{"inferometer"}, name, typed)
	if o.PrintSpec {
		return o.printSpec(s)
	}
	if err := o.Upload.Check(); err != nil {
		return err
	}
	if err := o.CheckExport(set); err != nil {
		return err
	}
	r := newServeRun(o, s)
	for _, note := range o.notes(set) {
		r.host.Say("note: %s", note)
	}
	if err := r.useLock(o.Lock); err != nil {
		return err
	}
	if o.DryRun {
		return r.dryRun(ctx)
	}
	return r.do(ctx)
}

func newServeRun(o *Options, s command.Streams) *serveRun {
	s.Err = command.NewHeld(s.Err) // a view may take it over
	return &serveRun{Options: o, Streams: s, host: o.RunHost(s)}
}

// do runs the Spec and shows its result.
func (r *serveRun) do(ctx context.Context) error {
	ctx, drain, stop := r.show(ctx)
	defer stop()
	stopProfile, err := startProfile(r.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	if err := r.Upload.Try(ctx); err != nil {
		return err
	}
	if r.told, err = r.startExport(ctx); err != nil {
		return err
	}
	defer r.told.finish(ctx, drain)
	if r.events, err = r.startEvents(); err != nil {
		return err
	}
	err = r.sendAndReport(ctx, drain)
	r.events.finish(err, r.host.Warn)
	return err
}

func (r *serveRun) sendAndReport(ctx context.Context, drain <-chan struct{}) error {
	err := r.execute(ctx, drain)
	r.screen.Close() // the result follows
	if err != nil {
		return err
	}
	defer r.run.Close()
	if r.InFleet() {
		if err := r.told.gather(r.run); err != nil {
			r.host.Warn("warning: %v", err)
		}
	}
	return r.report(ctx)
}

// finished is a run that is over: sent by this process, or by the agents of a fleet.
type finished interface {
	Folder() string
	SentModel() string
	OldLimit() bool
	Unwritten() error
	Reopen() (*journal.Reader, error)
	Close()
}

// take shows a run of a fleet. What is kept and shown is as its own Spec says: the run may
// have been begun by another process. What that would have written is then written as far as a
// Spec of somebody else may: NATS keeps it, and others can write to that.
func (r *serveRun) take(done *lead.Done) {
	typed := r.Spec
	if r.Spec, r.run = *done.Spec, done; r.SameOutputs(&typed) {
		return
	}
	for _, err := range r.DropOutputs(r.allowed) {
		r.host.Warn("warning: not written: %v", err)
	}
}

func (r *serveRun) execute(ctx context.Context, drain <-chan struct{}) error {
	if r.InFleet() {
		done, err := r.lead(ctx, drain)
		if err == nil {
			r.take(done)
		}
		return err
	}
	run, err := bench.Execute(ctx, drain, &r.Spec, r.host)
	if err == nil { // a nil *Done is no nil finished
		r.run = run
	}
	return err
}

// RunHost is this process, as a run knows it.
func (o *Options) RunHost(s command.Streams) *bench.Host {
	h := &bench.Host{Version: command.Version()}
	h.Host = prepare.Host{
		Environment: spec.Environment{Release: command.Release(), Lookup: o.lookup, Proxy: http.ProxyFromEnvironment},
		Say: func(format string, args ...any) {
			if !o.Quiet && !o.brief {
				fmt.Fprintf(s.Err, format+"\n", args...)
			}
		},
		Warn: func(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) },
	}
	h.Observers = []observe.Observer{observe.During(func(r *observe.Run) (stop func()) { return showProgress(s.Err, o.Progress, r).stop })}
	if o.Progress != "none" {
		h.Fetching = fetchShow(s.Err, o.Progress == view.Bar || o.Progress != view.Plain && command.IsTerminal(s.Err))
	}
	h.Proven = func(engine string) *journal.Proven { return FindProven(&h.Host, engine) }
	toParent(h)
	return h
}

// lookup finds a variable: of those that stand for secrets of flags, or of the environment.
func (o *Options) lookup(name string) (string, bool) {
	if value, ok := o.secrets[name]; ok {
		return value, true
	}
	return os.LookupEnv(name)
}

// APIKey is the environment's OPENAI_API_KEY.
func APIKey() string { return os.Getenv("OPENAI_API_KEY") }

// SpecOf is the run that settings of bench serve ask for. Secrets are beside it. No server
// is asked: with --backend auto it is only good to see whether the settings are right.
func SpecOf(settings option.Settings) (asked *spec.Spec, secrets map[string]string, err error) {
	set, o := Flags()
	return specOf(set, o, settings)
}

// SpecAt is the same for a server that is up: it is asked what it is, if --backend is auto.
func SpecAt(ctx context.Context, s command.Streams, settings option.Settings) (asked *spec.Spec, secrets map[string]string, err error) {
	set, o := Flags()
	o.Asking(ctx, s)
	return specOf(set, o, settings)
}

func specOf(set *argv.Set, o *Options, settings option.Settings) (asked *spec.Spec, secrets map[string]string, err error) {
	if err := set.Lay(settings); err != nil {
		return nil, nil, err
	}
	if err := o.Check(set); err != nil {
		return nil, nil, err
	}
	if len(o.agentHosts) > 0 {
		return nil, nil, argv.Errorf(flagAgents, "can't be given to one run of several: start agents that stay, with inferometer agent")
	}
	if o.Upload.To != "" {
		return nil, nil, argv.Errorf("upload", "can't be given to one run of several: inferometer run and inferometer upload upload them all")
	}
	for flag, given := range map[string]bool{flagPrometheus: o.export.Prometheus != "", flagOTLP: o.export.OTLP != "", "lock": o.Lock != "", "dry-run": o.DryRun, "print-spec": o.PrintSpec} {
		if given {
			return nil, nil, argv.Errorf(flag, "can't be given to one run of several: it is for bench serve by itself")
		}
	}
	if o.Events != "" {
		return nil, nil, argv.Errorf(flagEvents, "can't be given to one run of several: it is for bench serve by itself")
	}
	o.Command = append([]string{"inferometer", "bench", "serve"}, set.Hidden(settings).Words()...)
	return &o.Spec, o.secrets, nil
}

// APIKeyHeader is what bench serve sends too.
func APIKeyHeader() http.Header {
	h := http.Header{}
	if key := APIKey(); key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}
