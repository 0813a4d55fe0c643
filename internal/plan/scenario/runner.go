package scenario

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/send/target"
)

// Runner runs the points of a plan that have no result yet.
type Runner struct {
	Plan   *Plan
	Folder Folder
	Source []byte // the scenario's text, kept beside the results

	// Bench is the command of one point: our own program, bench serve and its arguments.
	Bench  func(args []string) target.Command
	Header http.Header // for readiness and resets
	Client *http.Client
	// Observe is told what happens, in one goroutine; nil tells nobody.
	Observe func(run.Event)

	run      *run.Runner
	records  []*Record
	starts   int
	versions map[string]string // of the servers behind a target, by its key
	selves   map[string]string // what those say of themselves; empty: nothing
	told     map[string]bool   // notes that are given once
}

// Run runs what is missing and returns the records of all points of the plan, in
// its order; nil for those that were not run. It goes on after a point that fails.
// What drain and the context do to the point under way is told at run.Runner.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}) ([]*Record, error) {
	r.run = &run.Runner{
		Folder: r.Folder.Path, LockFile: lockFile, PIDFiles: pidFiles(),
		Header: r.Header, Client: r.Client, Observe: r.observe,
	}
	r.records = make([]*Record, len(r.Plan.Points))
	r.versions, r.selves, r.told = map[string]string{}, map[string]string{}, map[string]bool{}
	err := r.run.Run(ctx, drain, func(yield func(*run.Point, error) bool) { r.points(ctx, yield) })
	if errors.Is(err, run.ErrInterrupted) {
		err = nil
	}
	return r.records, err
}

// points gives those that have a result, and then the others.
func (r *Runner) points(ctx context.Context, yield func(*run.Point, error) bool) {
	if err := atomicfile.WriteBytes(r.Folder.file(sourceFile), r.Source); err != nil {
		yield(nil, err)
		return
	}
	r.starts = r.earlierStarts()
	for i, p := range r.Plan.Points {
		rec := r.Folder.record(p)
		if rec == nil && p.Selected {
			r.outdated(p)
		}
		if !rec.done() || !r.current(ctx, p, rec) {
			continue
		}
		rec.Earlier = true
		r.records[i] = rec
		if p.Selected && !yield(&run.Point{Name: p.ID, Target: r.target(p), HasResult: true, Measured: rec.Measured()}, nil) {
			return
		}
	}
	for i, p := range r.Plan.Points {
		if r.records[i] != nil || !p.Selected {
			continue
		}
		if !yield(&run.Point{Name: p.ID, Target: r.target(p), Pause: p.scenario.Cooldown, Job: &job{r: r, p: p, record: &r.records[i]}}, nil) {
			return
		}
	}
}

// observe passes on what happens, without secrets.
func (r *Runner) observe(e run.Event) {
	if r.Observe == nil {
		return
	}
	e.Text = r.secrets().Scrub(e.Text)
	if e.Outcome.Err != nil {
		e.Outcome.Err = errors.New(r.secrets().Scrub(e.Outcome.Err.Error()))
	}
	r.Observe(e)
}

// earlierStarts is how many starts earlier runs have kept logs of.
func (r *Runner) earlierStarts() int {
	entries, err := os.ReadDir(filepath.Dir(r.Folder.server("x")))
	if err != nil {
		return 0
	}
	return len(entries)
}
