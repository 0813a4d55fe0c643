// Package load drives a workload at a pace: it waits for each request's due
// time and for a free slot, sends it, and writes what happened to the journal.
// It knows no protocol and no file format.
//
// One goroutine prepares requests ahead of time, one dispatches them, and each
// exchange runs in a goroutine of its own with buffers that are reused.
package load

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// Result is what the run itself knows when it is over; everything else is in the journal.
type Result struct {
	Sent         int
	PeakInFlight int
	WorkloadSHA  string
	Interrupted  string // why it stopped early, or empty
	Stopped      string // what Config.Watch ended it for, or empty
	RPSChanges   []journal.RPSChange
	Pauses       []journal.Pause
	Skips        []journal.Skip
	Unnamed      int   // requests whose replica is not written down, since there were too many names
	End          int64 // when the last request had ended
}

// Run sends the workload. When drain is closed it sends no more and waits for
// what is in flight; when ctx ends it cancels that too. Both give a Result.
func Run(ctx context.Context, drain <-chan struct{}, cfg Config) (*Result, error) {
	return newRun(ctx, drain, cfg).execute(drain)
}

// execute is the run from its warm-ups to its last answer.
func (r *run) execute(drain <-chan struct{}) (*Result, error) {
	cfg := r.cfg
	defer r.cancel(nil)
	warmups, err := r.warmUp()
	if err != nil {
		return nil, err
	}
	primers, err := r.prime()
	if err != nil {
		return nil, err
	}
	warmups = append(warmups, primers...)
	if cfg.WarmedUp != nil {
		cfg.WarmedUp()
	}
	if cfg.Begin != nil {
		defer r.makeAhead()() // at the instant all that is left to do is to send
		if err := cfg.Begin(r.ctx); err != nil {
			return nil, err
		}
	}
	r.flight.peak, r.flight.last = 0, 0 // of the measured requests alone, and on their clock
	moved := cfg.Clock.Restart()
	cfg.Control.begin(cfg.Clock.Now)
	if cfg.Started != nil {
		if err := cfg.Started(); err != nil {
			return nil, err
		}
	}
	for i := range warmups {
		if err := warmups[i].Move(-moved); err != nil {
			return nil, err
		}
		cfg.Journal.Append(journal.AppendRequest(nil, &warmups[i]))
	}
	if cfg.Deadline > 0 {
		stop := time.AfterFunc(cfg.Deadline, func() { r.cancel(errDeadline) })
		defer stop.Stop()
	}
	r.watch.start(cfg.Watch, func() { r.stopSending(errHalted) })
	spawned := r.spawn()
	stopProbe := startProbe(r.ctx, drain, cfg)
	d := newDispatcher(r)
	err = d.dispatch()
	r.cfg.Progress.draining.Store(true)
	pauses := cfg.Control.end()
	spawned()
	if c := cfg.Conversations; c != nil && c.Grace > 0 && !d.early {
		stop := time.AfterFunc(c.Grace, func() { r.cancel(errGrace) })
		defer stop.Stop()
	}
	r.flight.wait.Wait()
	stopProbe()
	r.watch.end()
	res := d.result()
	res.Pauses = pauses
	return res, err
}

// isEnd tells the end of a source from its failure.
func isEnd(err error) bool { return errors.Is(err, io.EOF) }
