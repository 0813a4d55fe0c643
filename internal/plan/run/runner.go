// Package run runs points one after another, each against the servers that it
// needs. A scenario and vLLM's sweep files are two front ends of it: each makes
// the points, and says where results lie and when one can be kept.
//
//	scenario.yaml ─┐                ┌─▶ servers: start, wait until ready, stop
//	               ├─▶ points ─▶ Runner ─▶ one child process per point
//	parameter files┘                └─▶ events: what happens, for whoever shows it
//
// Servers stay up from one point to the next as long as both need the same ones.
// What an earlier run left behind because it was killed is ended first, and a lock
// keeps two runs out of one folder.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Point is one piece of work against one target.
type Point struct {
	Name      string
	Target    *Target
	HasResult bool          // it is not run again
	Measured  string        // when its result was, for people
	Pause     time.Duration // before it, unless it is the first
	Job       Job
}

// Job is what a front end does for a point.
type Job interface {
	// Begin is called before the point's servers are started. An error ends the
	// whole run.
	Begin() error
	// Run does the work, with the point's servers up. An error means that the
	// point has no whole result.
	Run(ctx context.Context, drain <-chan struct{}, up *Servers) error
	// Ended keeps the outcome. An error ends the whole run.
	Ended(Outcome) error
}

// Points are made while they are run, so that later ones may depend on the results
// of earlier ones. An error ends the run.
type Points = iter.Seq2[*Point, error]

// State is how a point ended.
type State string

// The states.
const (
	Done        State = "done"
	Failed      State = "failed"
	Interrupted State = "interrupted"
)

// Outcome is what became of a point.
type Outcome struct {
	State   State
	Err     error
	Started time.Time
	Seconds float64   // with the start of its servers
	Startup []Startup // of the servers that were started for it
}

// ErrInterrupted says that points were left out since the user stopped the run.
var ErrInterrupted = errors.New("interrupted")

// Runner runs points.
type Runner struct {
	Folder   string   // its lock is held while points run
	LockFile string   // in the folder
	PIDFiles []string // patterns, from the folder, of the notes that are kept of processes
	Header   http.Header
	Client   *http.Client
	Output   io.Writer // what servers and children print is copied to it; nil: to their logs only
	DryRun   bool      // emit the events and run nothing
	Observe  func(Event)

	up     *Servers
	behind *Servers         // the servers behind those that are up; they may stay when those go
	broken map[string]error // targets that did not come up, by key
}

// Run runs the points that have no result. After the first interrupt (drain is
// closed) the point under way ends early and no other is begun; after the second
// one (the context ends) it is cancelled.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}, points Points) error {
	if !r.DryRun {
		lock := filepath.Join(r.Folder, r.LockFile)
		unlock, err := target.Lock(filepath.Dir(lock), filepath.Base(lock))
		if err != nil {
			return err
		}
		defer unlock()
		if err := r.endLeftovers(); err != nil {
			return err
		}
	}
	r.broken = map[string]error{}
	defer r.takeDownBehind()
	first := true
	for p, err := range points {
		if err != nil {
			return err
		}
		r.release(p.Target)
		if p.HasResult {
			r.emit(Event{Kind: Skipped, Point: p})
			continue
		}
		if Stopped(ctx, drain) || !first && !pause(ctx, drain, p.Pause) {
			return ErrInterrupted
		}
		first = false
		if err := r.point(ctx, drain, p); err != nil {
			return err
		}
	}
	return nil
}

// release takes down what the next target has no use for.
func (r *Runner) release(next *Target) {
	if r.up != nil && r.up.target.Key != next.Key {
		r.takeDown()
	}
	if r.behind != nil && (next.Behind == nil || r.behind.target.Key != next.Behind.Key) {
		r.takeDownBehind()
	}
}

// point runs one point.
func (r *Runner) point(ctx context.Context, drain <-chan struct{}, p *Point) error {
	if r.DryRun {
		r.rehearse(p)
		return nil
	}
	if err := p.Job.Begin(); err != nil {
		return err
	}
	o := Outcome{State: Done, Started: time.Now()}
	o.Startup, o.Err = r.serve(ctx, drain, p)
	if o.Err == nil {
		r.emit(Event{Kind: Running, Point: p})
		o.Err = r.job(ctx, drain, p)
	}
	o.Seconds = time.Since(o.Started).Seconds()
	switch {
	case o.Err == nil:
	case Stopped(ctx, drain):
		o.State = Interrupted
	default:
		o.State = Failed
	}
	err := p.Job.Ended(o)
	r.emit(Event{Kind: Ended, Point: p, Outcome: o})
	return err
}

// job does a point's work. The result of one whose server died under it is that of a
// dying server, unless it was killed on purpose; in both cases the next point needs another one.
func (r *Runner) job(ctx context.Context, drain <-chan struct{}, p *Point) error {
	err := p.Job.Run(ctx, drain, r.up)
	r.up.Fresh = false
	if r.behind != nil {
		r.behind.Fresh = false
	}
	why := r.up.died()
	if r.up.spoiled() {
		r.takeDownBehind()
	}
	if why != nil {
		return errors.Join(why, err)
	}
	return err
}

// rehearse emits the events of a point that is not run.
func (r *Runner) rehearse(p *Point) {
	if r.up == nil {
		r.up = &Servers{target: p.Target}
		r.emit(Event{Kind: Starting, Point: p})
	}
	r.emit(Event{Kind: Running, Point: p})
	r.emit(Event{Kind: Ended, Point: p, Outcome: Outcome{State: Done}})
}

// endLeftovers ends what a run left that was killed together with its watchers.
func (r *Runner) endLeftovers() error {
	var errs []error
	for _, pattern := range r.PIDFiles {
		files, err := fs.Glob(os.DirFS(r.Folder), pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			file = filepath.Join(r.Folder, file)
			found, err := target.EndLeftover(file)
			if found {
				r.Note("ended a process of an earlier run: %s", file)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// At speaks to a server, with the runner's header.
func (r *Runner) At(address string) *target.Target { return target.At(address, r.Header, r.Client) }

// Note tells something that belongs to no point.
func (r *Runner) Note(format string, args ...any) {
	r.emit(Event{Kind: Note, Text: fmt.Sprintf(format, args...)})
}

func (r *Runner) emit(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
}
