package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/spec"
)

// Runner runs the points of a plan that have no result yet.
type Runner struct {
	Plan   *Plan
	Folder Folder
	Source []byte // the scenario's text, kept beside the results

	Program string // our own, which runs Specs
	// Spec is the run that settings of bench serve ask for, and the secrets that it names.
	Spec func(option.Settings) (*spec.Spec, map[string]string, error)
	// Find runs the search of a point with these settings of bench serve in a folder; what it
	// says goes to the log.
	Find func(ctx context.Context, drain <-chan struct{}, load option.Settings, folder, log string) error

	// Instead runs a point's Spec in place of a process, in tests: see bench.Child; nil: a process does.
	Instead func(ctx context.Context, drain <-chan struct{}, c *bench.Child) (*bench.Outcome, error)

	Header http.Header // for readiness and resets
	Client *http.Client
	// Observe is told what happens, in one goroutine; nil tells nobody.
	Observe func(run.Event)
	// Live is told how each run goes, and Control pauses it; both may be nil.
	Live    *live.Feed
	Control *load.Control

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

// job runs bench serve for a point.
type job struct {
	r      *Runner
	p      *Point
	record **Record // where it is put when the point has ended
	rec    Record
	again  bool // what an earlier try has left is used
}

// Begin forgets what an earlier try has left, unless it can be used.
func (j *job) Begin() error {
	p := j.p
	j.rec = Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, Fingerprint: p.Fingerprint, Args: p.Shown, Files: p.files}
	if j.again = j.goesOn(); j.again {
		return nil
	}
	if err := j.r.Folder.removePoint(p.ID); err != nil {
		return err
	}
	return j.note()
}

func (j *job) Run(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	r, p := j.r, j.p
	if j.again && j.rec.Self != r.selves[p.server] {
		j.again, j.rec.SpeedDone = false, false // it was of another server
		if err := r.Folder.removePoint(p.ID); err != nil {
			return err
		}
	}
	j.rec.Version, j.rec.Self = r.versions[p.server], r.selves[p.server]
	if err := j.note(); err != nil {
		return err
	}
	if j.rec.SpeedDone {
		return j.ask(ctx, drain, up)
	}
	if p.scenario.Routers != nil {
		return j.route(ctx, drain, up)
	}
	for _, path := range p.scenario.ResetCache {
		for _, url := range cached(up) {
			if err := r.run.At(url).Post(ctx, path); err != nil {
				return fmt.Errorf("reset the cache: %w", err)
			}
		}
	}
	logs := up.Logs() // a fault may add to them
	marks := serverlog.Marks(logs)
	err := j.bench(ctx, drain, up)
	j.rec.SpecDecode = serverlog.Since(logs, marks)
	if err != nil || len(p.Eval) == 0 {
		return err
	}
	return j.ask(ctx, drain, up)
}

// route runs a point of a comparison of routers: with caches that were emptied and seen empty, each by its own address.
func (j *job) route(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	caches := &routers.Caches{
		At: j.r.run.At, URLs: cached(up), Paths: j.p.scenario.ResetCache, Fresh: up.Fresh, Settings: j.p.scenario.Routers,
	}
	list, err := caches.Empty(ctx)
	if err != nil {
		return err
	}
	if err := j.bench(ctx, drain, up); err != nil {
		return err
	}
	caches.Grown(ctx, list)
	j.rec.Routing, err = routers.Read(j.r.Folder.Run(j.p.ID), list)
	return err
}

// cached are the servers that have prefix caches: those behind a router, where there is one.
func cached(up *run.Servers) []string {
	if up.Behind != nil {
		return up.Behind.URLs
	}
	return up.URLs
}

// bench runs a point's Spec, or its search, and says by an error that the point has no
// whole result.
func (j *job) bench(ctx context.Context, drain <-chan struct{}, up *run.Servers) error {
	r, folder, id := j.r, j.r.Folder, j.p.ID
	load := j.p.on(j.p.Load, up)
	if up.Fresh || len(j.p.scenario.ResetCache) > 0 || j.p.scenario.Routers.Empties() {
		load.Add("forget-prompts") // the servers' caches are empty
	}
	log := filepath.Join(folder.point(id), benchLog)
	if j.p.scenario.Search != nil {
		return r.Find(ctx, drain, load, folder.Run(id), log)
	}
	return j.child(ctx, drain, up, load, j.p.scenario.Faults.list(j.p.target), folder.Run(id), log)
}

// Ended writes the point's record.
func (j *job) Ended(o run.Outcome) error {
	j.rec.State, j.rec.Started, j.rec.Seconds, j.rec.Startup = o.State, o.Started, o.Seconds, o.Startup
	if o.Err != nil {
		j.rec.Error = j.r.secrets().Scrub(o.Err.Error())
	}
	*j.record = &j.rec
	return j.r.Folder.write(&j.rec)
}
