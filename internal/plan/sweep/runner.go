package sweep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/plan/run"
)

// Plan is what is to be run.
type Plan struct {
	Serve, Bench []string // the two commands
	After        []string // run after each benchmark in place of resetting caches; nil: reset
	ServeParams  Params
	BenchParams  Params
	Links        []Link
	Dir          string // of the experiment
	Runs         int    // of each combination
	DryRun       bool   // tell the commands and run none
	// Startup: Bench measures starts, and is given the server's settings too; no server is up meanwhile, and Serve is empty.
	Startup bool
}

// Runner runs a plan.
type Runner struct {
	Plan
	Ready   time.Duration           // how long a server may take to be ready
	Program func([]string) []string // which program a command starts; nil: as it is typed
	Client  *http.Client
	Header  http.Header // for the server's own paths
	Log     *Log        // is told what happens
	// Observe is told too, beside the log; may be nil.
	Observe func(run.Event)

	run     *run.Runner
	records []Object // all results so far, in the order of the table
}

// Done says how many results there are.
func (r *Runner) Done() int { return len(r.records) }

// Run runs all combinations and writes the table. What was done before an error is
// kept, and found again by the next Run.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}) error {
	return r.each(ctx, drain, func(w *walk, c comb) error {
		records, err := r.runs(w, c)
		r.records = append(r.records, records...)
		return err
	})
}

// Planned are the files of all results that a sweep without levels of load will have.
func (r *Runner) Planned() (files []string, err error) {
	all, err := r.combs()
	for _, combs := range all {
		for _, c := range combs {
			for k := range r.Runs {
				files = append(files, runFile(c.folder, k))
			}
		}
	}
	return files, err
}

// walk gives points to the runner, with the server of a setting.
type walk struct {
	yield  func(*run.Point, error) bool
	target *run.Target
}

// errEnded says that the runner wants no more points; it knows why.
var errEnded = errors.New("the sweep has ended")

// each gives every combination its turn, with its server.
func (r *Runner) each(ctx context.Context, drain <-chan struct{}, turn func(*walk, comb) error) error {
	all, err := r.combs()
	if err != nil {
		return err
	}
	r.run = &run.Runner{
		Folder: r.Dir, LockFile: filepath.Join(logFolder, "lock"), PIDFiles: pidFiles(),
		Header: r.Header, Client: r.Client, Output: r.Log.output(), DryRun: r.DryRun, Observe: r.observe,
	}
	walked := func(yield func(*run.Point, error) bool) {
		if err := r.walk(all, yield, turn); err != nil && !errors.Is(err, errEnded) {
			yield(nil, err)
		}
	}
	if err := r.run.Run(ctx, drain, walked); err != nil || r.DryRun {
		return err
	}
	return writeTable(r.Dir, r.records)
}

func (r *Runner) walk(all [][]comb, yield func(*run.Point, error) bool, turn func(*walk, comb) error) error {
	for i, combs := range all {
		t, err := r.target(r.ServeParams[i])
		if err != nil {
			return err
		}
		for _, c := range combs {
			if err := turn(&walk{yield, t}, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// runs makes all runs of a combination and writes its summary.
func (r *Runner) runs(w *walk, c comb) (records []Object, err error) {
	for k := range r.Runs {
		o, err := r.one(w, c, k)
		if err != nil {
			return records, err
		}
		if o != nil {
			records = append(records, o)
		}
	}
	if r.DryRun {
		return nil, nil
	}
	return records, writeSummary(c.folder, records)
}

// one gives the result of one run: the one that is there, or a new one.
func (r *Runner) one(w *walk, c comb, number int) (Object, error) {
	j := &job{r: r, comb: c, number: number, file: runFile(c.folder, number)}
	o, err := finishedRecord(j.file)
	if err != nil {
		return nil, err
	}
	if !w.yield(&run.Point{Name: j.file, Target: w.target, HasResult: o != nil, Job: j}, nil) {
		return nil, errEnded
	}
	if o != nil {
		return c.complete(o, number), nil
	}
	return j.result, nil
}

func (r *Runner) program(command []string) []string {
	if r.Program == nil {
		return command
	}
	return r.Program(command)
}

// server is the command of a setting's server.
func (r *Runner) server(setting Item) []string { return r.program(setting.Apply(r.Serve)) }

// target is the server of a setting.
func (r *Runner) target(setting Item) (*run.Target, error) {
	if r.Startup {
		return &run.Target{Key: setting.String()}, nil
	}
	base, err := serverAddress(setting.Apply(r.Serve))
	if err != nil {
		return nil, err
	}
	ready := run.Readiness{ // the benchmark sends the first request
		Path: "/health", Timeout: r.Ready,
		Late: fmt.Errorf("it was not ready at %s within %s; --server-ready-timeout gives it longer", base, r.Ready),
	}
	return &run.Target{
		Key: setting.String(),
		Servers: func(ctx context.Context, _ *run.Servers) ([]run.Server, error) {
			// Somebody else's server would be measured in place of ours.
			if r.run.At(base).Healthy(ctx, "/health") == nil {
				return nil, fmt.Errorf("a server answers at %s before ours is started; stop it, or give --port another value in both commands", base)
			}
			c := r.command(r.server(setting), serverLog(r.Dir, setting))
			c.Env = []string{"VLLM_SERVER_DEV_MODE=1"}
			return []run.Server{{URL: base, Command: c, Ready: ready}}, nil
		},
	}, nil
}
