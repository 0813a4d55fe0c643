package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
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
	Observe func(Event)

	up       *servers
	starts   int
	broken   map[string]error  // servers that did not come up
	versions map[string]string // of servers that were up before
	selves   map[string]string // what those say of themselves; empty: nothing
	changed  map[string]bool   // those that were told to be others than before
}

// Event is something that happened.
type Event struct {
	Kind   Kind
	Point  *Point // nil for a note
	Record *Record
	Text   string
}

// Kind is what happened.
type Kind int

// The kinds of events.
const (
	Skipped  Kind = iota // it has a result already
	Starting             // its servers
	Up                   // they are up
	Running              // the point itself
	Ended
	Note
)

// Run runs what is missing and returns the records of all points of the plan, in
// its order; nil for those that were not run. It goes on after a point that fails.
// When drain is closed the point under way is interrupted and no other is begun;
// when the context ends the same is done at once.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}) ([]*Record, error) {
	unlock, err := target.Lock(r.Folder.Path, lockFile)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.endLeftovers(); err != nil {
		return nil, err
	}
	if err := atomicfile.WriteBytes(r.Folder.file(sourceFile), r.Source); err != nil {
		return nil, err
	}
	r.broken, r.versions = map[string]error{}, map[string]string{}
	r.selves, r.changed = map[string]string{}, map[string]bool{}
	r.starts = r.earlierStarts()
	defer r.takeDown()
	records := make([]*Record, len(r.Plan.Points))
	for i, p := range r.Plan.Points {
		rec := r.Folder.record(p)
		if rec == nil && p.Selected {
			r.outdated(p)
		}
		if rec == nil || rec.State != Done || !r.current(ctx, p, rec) {
			continue
		}
		rec.Earlier = true
		records[i] = rec
		if p.Selected {
			r.observe(Event{Kind: Skipped, Point: p, Record: rec})
		}
	}
	first := true
	for i, p := range r.Plan.Points {
		if records[i] != nil || !p.Selected {
			continue
		}
		if !first && !r.pause(ctx, drain, p.scenario.Cooldown) || stopped(ctx, drain) {
			break
		}
		first = false
		if records[i], err = r.point(ctx, drain, p); err != nil {
			return records, err
		}
	}
	return records, nil
}

// point runs one point and keeps what became of it. An error is one of our own
// folder, and ends the run.
func (r *Runner) point(ctx context.Context, drain <-chan struct{}, p *Point) (*Record, error) {
	rec := &Record{ID: p.ID, Values: p.Values, Repeat: p.Repeat, Fingerprint: p.Fingerprint, Args: p.Shown, Files: p.files, Started: time.Now()}
	if err := r.Folder.clear(p.ID); err != nil {
		return nil, err
	}
	err := r.attempt(ctx, drain, p, rec)
	rec.Seconds = time.Since(rec.Started).Seconds()
	switch {
	case err == nil:
		rec.State = Done
	case stopped(ctx, drain):
		rec.State, rec.Error = Interrupted, r.secrets().Scrub(err.Error())
	default:
		rec.State, rec.Error = Failed, r.secrets().Scrub(err.Error())
	}
	r.observe(Event{Kind: Ended, Point: p, Record: rec})
	return rec, r.Folder.write(rec)
}

// attempt brings up the point's servers, if need be, and runs it.
func (r *Runner) attempt(ctx context.Context, drain <-chan struct{}, p *Point, rec *Record) error {
	if err := r.serve(ctx, drain, p, rec); err != nil {
		return err
	}
	rec.Version, rec.Self = r.up.version, r.up.self
	for _, path := range p.scenario.ResetCache {
		for _, url := range r.up.urls {
			if err := r.target(url).Post(ctx, path); err != nil {
				return fmt.Errorf("reset the cache: %w", err)
			}
		}
	}
	r.observe(Event{Kind: Running, Point: p})
	cold := len(rec.Startup) > 0 || len(p.scenario.ResetCache) > 0
	marks := r.up.logMarks()
	err := r.bench(ctx, drain, p, cold)
	rec.SpecDecode = r.up.specDecodeSince(marks)
	if !r.up.alive() {
		// Its numbers are those of a dying server, and the next point needs another one.
		why := r.up.obituary()
		r.takeDown()
		return errors.Join(why, err)
	}
	return err
}

// serve makes sure that the point's servers are those which are up.
func (r *Runner) serve(ctx context.Context, drain <-chan struct{}, p *Point, rec *Record) error {
	if r.up != nil && r.up.key == p.server && r.up.alive() {
		return nil
	}
	r.takeDown()
	if err := r.broken[p.server]; err != nil {
		return fmt.Errorf("its server did not come up before: %w", err)
	}
	if p.target.started() {
		r.observe(Event{Kind: Starting, Point: p})
	}
	ctx, cancel := cancelOn(ctx, drain)
	defer cancel()
	up, err := r.bringUp(ctx, p)
	if err != nil {
		if ctx.Err() == nil {
			r.broken[p.server] = err
		}
		return err
	}
	r.up, rec.Startup = up, up.startup
	if p.target.started() {
		r.observe(Event{Kind: Up, Point: p, Record: rec})
	}
	return nil
}

// cancelOn ends the context when drain is closed too.
func cancelOn(ctx context.Context, drain <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-drain:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

var errInterrupted = errors.New("interrupted")

func stopped(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// pause waits between points; false: it was interrupted.
func (r *Runner) pause(ctx context.Context, drain <-chan struct{}, span time.Duration) bool {
	if span <= 0 {
		return true
	}
	select {
	case <-time.After(span):
		return true
	case <-drain:
	case <-ctx.Done():
	}
	return false
}

func (r *Runner) takeDown() {
	if r.up != nil {
		r.endServers(r.up)
		r.up = nil
	}
}

// endServers ends servers, and tells what it could not end.
func (r *Runner) endServers(s *servers) {
	s.down()
	for _, p := range s.processes {
		if left := p.Left(); left != "" {
			r.note("%s", left)
		}
	}
}

// endLeftovers ends what a run left that was killed together with its watchers.
func (r *Runner) endLeftovers() error {
	var errs []error
	for _, pattern := range []string{r.Folder.pidFiles(), r.Folder.benchPID("*")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			found, err := target.EndLeftover(file)
			if found {
				r.note("ended a process of an earlier run: %s", file)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// earlierStarts is how many starts earlier runs have kept logs of.
func (r *Runner) earlierStarts() int {
	entries, err := os.ReadDir(filepath.Dir(r.Folder.server("x")))
	if err != nil {
		return 0
	}
	return len(entries)
}

func (r *Runner) observe(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}

func (r *Runner) note(format string, args ...any) {
	r.observe(Event{Kind: Note, Text: r.secrets().Scrub(fmt.Sprintf(format, args...))})
}
