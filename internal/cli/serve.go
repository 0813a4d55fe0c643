package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// serveRun is a run of bench serve, and of the other commands that send a load, from
// its options to its result.
type serveRun struct {
	*serveOptions
	streams
	host   *bench.Host
	run    *bench.Run
	judged *slo.Judgement // nil: no SLO was given
}

func benchServe(ctx context.Context, s streams, args []string) error {
	set, o := serveFlags()
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(set); err != nil {
		return err
	}
	if o.PrintSpec {
		args = set.Without(args, func(f *argv.Flag) bool { return f.Name == "print-spec" })
	}
	o.Command = append([]string{"inferometer", "bench", "serve"}, set.Redacted(args)...)
	if o.PrintSpec {
		return o.printSpec(s)
	}
	r := newServeRun(o, s)
	for _, note := range o.notes(set) {
		r.host.Say("note: %s", note)
	}
	return r.do(ctx)
}

func newServeRun(o *serveOptions, s streams) *serveRun {
	return &serveRun{serveOptions: o, streams: s, host: o.host(s)}
}

// do runs the Spec and shows its result.
func (r *serveRun) do(ctx context.Context) error {
	ctx, drain, stop := interrupts(ctx, r.err)
	defer stop()
	stopProfile, err := startProfile(r.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	if err := r.execute(ctx, drain); err != nil {
		return err
	}
	defer r.run.Close()
	return r.report()
}

func (r *serveRun) execute(ctx context.Context, drain <-chan struct{}) (err error) {
	r.run, err = bench.Execute(ctx, drain, &r.Spec, r.host)
	return err
}

// host is this process, as a run knows it.
func (o *serveOptions) host(s streams) *bench.Host {
	h := &bench.Host{
		Release: Version, Version: fullVersion(), Lookup: o.lookup, Proxy: http.ProxyFromEnvironment,
		Say: func(format string, args ...any) {
			if !o.Quiet {
				fmt.Fprintf(s.err, format+"\n", args...)
			}
		},
		Warn:     func(format string, args ...any) { fmt.Fprintf(s.err, format+"\n", args...) },
		Progress: func(p bench.Progress) (stop func()) { return showProgress(s.err, o.Progress, p).stop },
	}
	h.Proven = func(engine string) *journal.Proven { return findProven(h, engine) }
	return h
}

// lookup finds a variable: of those that stand for secrets of flags, or of the environment.
func (o *serveOptions) lookup(name string) (string, bool) {
	if value, ok := o.secrets[name]; ok {
		return value, true
	}
	return os.LookupEnv(name)
}

// apiKey is the environment's OPENAI_API_KEY.
func apiKey() string { return os.Getenv("OPENAI_API_KEY") }
