package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/send/target"
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
}

// Runner runs a plan.
type Runner struct {
	Plan
	Ready   time.Duration           // how long a server may take to be ready
	Program func([]string) []string // which program a command starts; nil: as it is typed
	Client  *http.Client
	Header  http.Header // for the server's own paths
	Output  io.Writer   // where the commands' output is copied to; nil: to their logs only
	Observe func(Event)

	records []Object // all results so far, in the order of the table
}

// Done says how many results there are.
func (r *Runner) Done() int { return len(r.records) }

// Run runs all combinations and writes the table. What was done before an error is
// kept, and found again by the next Run.
func (r *Runner) Run(ctx context.Context) error { return r.each(ctx, r.comb) }

// each gives every combination its turn, with its server.
func (r *Runner) each(ctx context.Context, turn func(context.Context, *server, comb) error) error {
	all, err := r.combs()
	if err != nil {
		return err
	}
	if !r.DryRun {
		unlock, err := target.Lock(filepath.Join(r.Dir, logFolder), "lock")
		if err != nil {
			return err
		}
		defer unlock()
	}
	for i, combs := range all {
		if err := r.serve(ctx, r.ServeParams[i], combs, turn); err != nil {
			return err
		}
	}
	if r.DryRun {
		return nil
	}
	return writeTable(r.Dir, r.records)
}

func (r *Runner) serve(ctx context.Context, setting Item, combs []comb, turn func(context.Context, *server, comb) error) error {
	s, err := r.server(setting)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, c := range combs {
		if err := turn(ctx, s, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) comb(ctx context.Context, s *server, c comb) error {
	records, err := r.runs(ctx, s, c)
	r.records = append(r.records, records...)
	return err
}

// runs makes all runs of a combination and writes its summary.
func (r *Runner) runs(ctx context.Context, s *server, c comb) (records []Object, err error) {
	for k := range r.Runs {
		o, err := r.one(ctx, s, c, k)
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
func (r *Runner) one(ctx context.Context, s *server, c comb, run int) (Object, error) {
	file := runFile(c.folder, run)
	o, err := finishedRecord(file)
	if err != nil {
		return nil, err
	}
	command := r.benchCommand(c, file)
	begin := Event{Kind: BenchBegin, Overrides: c.bench, Command: command, Run: run, Path: file}
	switch {
	case o != nil:
		r.Observe(begin)
		r.Observe(Event{Kind: BenchSkipped})
		return c.complete(o, run), nil
	case r.DryRun:
		s.begin()
		r.Observe(begin)
		r.Observe(Event{Kind: BenchEnd})
		return nil, nil
	}
	if err := s.ensure(ctx); err != nil {
		return nil, err
	}
	r.Observe(begin)
	if err := r.bench(ctx, s, command, file); err != nil {
		return nil, err
	}
	if o, err = readRecord(file); err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fmt.Errorf("the benchmark ended well, but wrote no %s; its log is %s", file, beside(file, ".log"))
	}
	o = c.complete(o, run)
	if err := atomicfile.WriteBytes(file, pyJSONFile(o)); err != nil {
		return nil, err
	}
	r.Observe(Event{Kind: BenchEnd})
	return o, nil
}

// benchCommand is the benchmark's command, with where its result goes.
func (r *Runner) benchCommand(c comb, file string) []string {
	return r.program(append(c.bench.Apply(r.Bench),
		"--percentile-metrics", "ttft,tpot,itl,e2el",
		"--save-result", "--result-dir", filepath.Dir(file), "--result-filename", filepath.Base(file)))
}

func (r *Runner) program(command []string) []string {
	if r.Program == nil {
		return command
	}
	return r.Program(command)
}

// bench runs one benchmark, and what comes after it.
func (r *Runner) bench(ctx context.Context, s *server, command []string, file string) error {
	if err := makeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	if err := r.putAside(file); err != nil {
		return err
	}
	if err := r.command(ctx, "the benchmark", command, file, ".log"); err != nil {
		return errors.Join(err, r.putAside(file))
	}
	if len(r.After) > 0 {
		return r.command(ctx, "--after-bench-cmd", r.program(r.After), file, ".after.log")
	}
	return s.resetCaches(ctx)
}

// putAside keeps a result that was not finished from being taken for one.
func (r *Runner) putAside(file string) error {
	err := os.Rename(file, beside(file, ".unfinished.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.Observe(Event{Kind: UnfinishedSeen, Path: file})
	return err
}

// command runs a command to its end, or to the end of the context.
func (r *Runner) command(ctx context.Context, what string, args []string, file, ending string) error {
	log, pidFile := beside(file, ending), beside(file, ".pid.json")
	if _, err := target.EndLeftover(pidFile); err != nil {
		return err
	}
	shown, err := r.show(log)
	if err != nil {
		return err
	}
	defer shown.stop()
	p, err := target.Start(target.Command{Args: args, Log: log, PIDFile: pidFile, Grace: grace})
	if err != nil {
		return fmt.Errorf("run %s: %w", what, err)
	}
	defer p.Stop() // nothing of it stays, even if it has started others
	select {
	case <-p.Exited():
	case <-ctx.Done():
		return fmt.Errorf("%s was stopped: %w", what, context.Cause(ctx))
	}
	if p.Err() != nil {
		return fmt.Errorf("%s failed (%w); its log %s ends with\n%s", what, p.Err(), log, p.Tail(10))
	}
	return nil
}
