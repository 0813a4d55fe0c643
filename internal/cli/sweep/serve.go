package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/cli/view"
	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/plan/sweep"
)

// options are the flags of bench sweep serve and serve_workload.
type options struct {
	serveCmd, benchCmd, afterCmd    string
	serveParams, benchParams, links string
	outputDir, experiment           string
	readyTimeout, runs, levels      int
	showStdout, dryRun, resume      bool
	workloadVar                     string
	progress                        string
	startup                         bool
}

func serveFlags(name, summary string) (*argv.Set, *options) {
	set := argv.New("inferometer bench sweep "+name, summary)
	o := &options{}
	set.String(&o.serveCmd, "serve-cmd", "", "Command that starts the server, as in 'vllm serve MODEL --port 8000'. Required.", argv.Metavar("COMMAND"))
	set.String(&o.benchCmd, "bench-cmd", "", "Command that measures it, as in 'inferometer bench serve --model MODEL'. Required.", argv.Metavar("COMMAND"))
	set.String(&o.afterCmd, "after-bench-cmd", "", "Command to run after each run, instead of resetting the server's caches.", argv.Metavar("COMMAND"))
	set.Bool(&o.showStdout, "show-stdout", "Show what the commands print. It is in their logs too.")
	set.Int(&o.readyTimeout, "server-ready-timeout", 300, "Seconds that the server may take until /health answers.", argv.Metavar("SECONDS"))
	set.String(&o.serveParams, "serve-params", "", "JSON file with settings of the server: a list of objects, or an object of named ones.", argv.Metavar("FILE"))
	set.String(&o.benchParams, "bench-params", "", "JSON file with settings of the benchmark. Each is run with each setting of the server.", argv.Metavar("FILE"))
	set.String(&o.links, "link-vars", "", "Only combinations in which these are equal, as in max_num_seqs=max_concurrency.", argv.Metavar("A=B,…"))
	set.String(&o.outputDir, "output-dir", "results", "Folder of all experiments.", argv.Output(), argv.Metavar("DIR"))
	set.String(&o.experiment, "experiment-name", "", "Name of this one, and of its folder.", argv.Short('e'), argv.Metavar("NAME"), argv.Shown("the time"))
	set.Int(&o.runs, "num-runs", 3, "Runs of each combination.")
	set.Bool(&o.dryRun, "dry-run", "Print the commands and run none.")
	view.Define(set, &o.progress)
	set.Bool(&o.resume, "resume", "Go on with an experiment that was stopped: only what has no result is run.")
	return set, o
}

func runServe(ctx context.Context, s command.Streams, args []string) error {
	set, o := serveFlags("serve", "Run a benchmark under many settings of a server and of the benchmark; a drop-in for vllm bench sweep serve.")
	set.Example("Each setting of serve.json with each of bench.json, three times",
		"inferometer bench sweep serve --serve-cmd 'vllm serve MODEL' --bench-cmd 'inferometer bench serve --model MODEL' --serve-params serve.json --bench-params bench.json -e tuning")
	set.Example("Go on after an interruption", "inferometer bench sweep serve … -e tuning --resume")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	r, err := o.runner(s)
	if err != nil {
		return err
	}
	return o.run(ctx, s, r, r.Run)
}

func runWorkload(ctx context.Context, s command.Streams, args []string) error {
	set, o := serveFlags("serve_workload", "Run a benchmark one request at a time and all at once, and at levels of load between; a drop-in for vllm bench sweep serve_workload.")
	set.Example("Ten rates, three runs each",
		"inferometer bench sweep serve_workload --serve-cmd 'vllm serve MODEL' --bench-cmd 'inferometer bench serve --model MODEL --num-prompts 200' -e load")
	set.Choice(&o.workloadVar, "workload-var", sweep.RequestRate, []string{sweep.RequestRate, sweep.MaxConcurrency}, "What makes the load.")
	set.Int(&o.levels, "workload-iters", 10, "Levels of load, with the two extremes.")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if o.levels < 2 {
		return argv.Errorf("workload-iters", "must be at least 2: the two extremes")
	}
	r, err := o.runner(s)
	if err != nil {
		return err
	}
	w := &sweep.Workload{Runner: *r, Var: o.workloadVar, Levels: o.levels}
	return o.run(ctx, s, &w.Runner, w.Explore)
}

// runner makes the plan; what is wrong with it is a usage error.
func (o *options) runner(s command.Streams) (*sweep.Runner, error) {
	if o.runs < 1 {
		return nil, argv.Errorf("num-runs", "must be at least 1, not %d", o.runs)
	}
	if o.readyTimeout < 1 && !o.startup {
		return nil, argv.Errorf("server-ready-timeout", "must be at least 1, not %d", o.readyTimeout)
	}
	if o.experiment == "" {
		o.experiment = time.Now().Format("20060102_150405")
	}
	plan, err := o.plan()
	if err != nil {
		return nil, err
	}
	program, err := programs()
	if err != nil {
		return nil, err
	}
	return &sweep.Runner{
		Plan: *plan, Ready: time.Duration(o.readyTimeout) * time.Second, Program: program,
		Client: &http.Client{}, Header: serve.APIKeyHeader(),
		Log: &sweep.Log{W: s.Out, ShowOutput: o.showStdout, Redact: redactCommand, SecretFlag: isSecretFlag},
	}, nil
}

func (o *options) plan() (*sweep.Plan, error) {
	p := &sweep.Plan{
		ServeParams: sweep.NoParams(), BenchParams: sweep.NoParams(),
		Dir: filepath.Join(o.outputDir, o.experiment), Runs: o.runs, DryRun: o.dryRun, Startup: o.startup,
	}
	for _, c := range []struct {
		flag, text string
		to         *[]string
		needed     bool
	}{{"serve-cmd", o.serveCmd, &p.Serve, !o.startup}, {o.benchFlag("cmd"), o.benchCmd, &p.Bench, true}, {"after-bench-cmd", o.afterCmd, &p.After, false}} {
		words, err := shlex.Split(c.text)
		switch {
		case err != nil:
			return nil, argv.Errorf(c.flag, "can't be read: %v", err)
		case len(words) == 0 && c.needed:
			return nil, argv.Errorf(c.flag, "is needed: it says which command to run")
		}
		*c.to = words
	}
	for _, f := range []struct {
		flag, file string
		to         *sweep.Params
	}{{"serve-params", o.serveParams, &p.ServeParams}, {o.benchFlag("params"), o.benchParams, &p.BenchParams}} {
		if f.file == "" {
			continue
		}
		params, err := sweep.ReadParams(f.file)
		var unreadable *fs.PathError
		switch {
		case errors.As(err, &unreadable):
			return nil, err
		case err != nil:
			return nil, argv.Errorf(f.flag, "can't be read: %v", err)
		}
		*f.to = params
	}
	var err error
	if p.Links, err = sweep.ParseLinks(o.links); err != nil {
		return nil, argv.Errorf("link-vars", "can't be read: %v", err)
	}
	if err := sweep.CheckDir(p.Dir, o.resume); err != nil {
		return nil, command.Exit(command.ExitUsage, err)
	}
	return p, nil
}

// show opens the live view of the sweep; nil: there is none.
func (o *options) show(s *command.Streams, r *sweep.Runner) (*view.Screen, error) {
	if o.dryRun {
		return nil, nil
	}
	screen, why := view.New(s, o.progress, "inferometer bench sweep "+o.experiment)
	if screen == nil {
		if o.progress == view.Live {
			fmt.Fprintf(s.Err, "note: no live view: %s\n", why)
		}
		return nil, nil
	}
	r.Log.W = s.Out
	var points []view.Point
	if o.workloadVar == "" { // else the levels of load are chosen by the first results
		files, err := r.Planned()
		if err != nil {
			screen.Close()
			return nil, err
		}
		for _, file := range files {
			points = append(points, view.Point{Name: view.Below(r.Dir, file)})
		}
	}
	screen.Plan(points, o.workloadVar != "")
	r.Observe = func(e run.Event) {
		if e.Point != nil {
			screen.Event(e, view.Below(r.Dir, e.Point.Name), e.Point.Name)
		}
	}
	return screen, nil
}

// run runs the sweep and says by its error how it ended.
func (o *options) run(ctx context.Context, s command.Streams, r *sweep.Runner, run func(context.Context, <-chan struct{}) error) error {
	screen, err := o.show(&s, r)
	if err != nil {
		return planError(err)
	}
	ctx, drain, stop := screen.Interrupts(ctx, s.Err)
	defer stop()
	err = run(ctx, drain)
	screen.Close()
	switch {
	case errors.Is(err, sweep.ErrPlan):
		return planError(err)
	case err != nil:
		code := command.ExitNothing
		if r.Done() > 0 {
			code = command.ExitPartial
		}
		return command.Exit(code, fmt.Errorf("%w\nthe sweep ended early with %d results; --resume --experiment-name %s goes on with it", err, r.Done(), o.experiment))
	case o.dryRun:
		fmt.Fprintf(s.Out, "Experiment will be saved at: %s\n", r.Dir)
	default:
		fmt.Fprintf(s.Out, "Experiment has been saved at: %s\n", r.Dir)
	}
	return nil
}
