package load

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/inferometer/inferometer/internal/journal"
)

// run is the state of one Run.
type run struct {
	cfg    Config
	ctx    context.Context // its end cancels what is in flight
	cancel context.CancelCauseFunc
	// sending ends when no more is to be sent, at the latest with ctx; see stops.
	drain       <-chan struct{}
	sending     context.Context
	stopSending context.CancelCauseFunc

	watch         watching
	maker         maker
	ahead         ahead
	slots         chan struct{} // a token for each request that may be in flight; nil: no limit
	wake          chan struct{} // has a token when something has changed that the dispatcher may wait for
	flight        flight
	names         names
	conversations *conversations // nil: the source has none
	// keep gets the records of the dispatcher's requests in place of the journal; nil: the journal does.
	keep func(*journal.Request)
}

// flight is what is known of the requests in flight, and of those that have ended.
type flight struct {
	wait sync.WaitGroup

	mu        sync.Mutex
	free      []*worker
	flying    int
	peak      int
	cancelled bool  // a request was ended by us
	last      int64 // end of the last request that has ended
	long      int   // measured requests that were cut off for their length
	complete  int   // and those that were not
	ended     int   // for AbortRatio
	failed    int
}

func (f *flight) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flying > 0
}

// newRun prepares a run. When drain is closed no more is sent.
func newRun(ctx context.Context, drain <-chan struct{}, cfg Config) *run {
	r := &run{cfg: cfg, drain: drain, ahead: ahead{budget: newBudget(aheadBytes)}, wake: make(chan struct{}, 1)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.sending, r.stopSending = context.WithCancelCause(r.ctx)
	if !r.stops() && drain != nil {
		go func() {
			select {
			case <-drain:
				r.stopSending(errSignal)
			case <-r.sending.Done():
			}
		}()
	}
	if r.cfg.Progress == nil {
		r.cfg.Progress = &Progress{}
	}
	r.maker = newMaker(&r.cfg)
	if cfg.Concurrency > 0 {
		r.slots = make(chan struct{}, cfg.Concurrency)
	}
	if cfg.Conversations != nil {
		r.conversations = newConversations(r)
	}
	return r
}

// stops says that no more is to be sent. It looks at the drain itself: what passes it on may not have run yet, and
// nothing may be sent after it.
func (r *run) stops() bool {
	select {
	case <-r.drain:
		r.stopSending(errSignal)
	default:
	}
	return r.sending.Err() != nil
}

// signal wakes the dispatcher.
func (r *run) signal() {
	select {
	case r.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// acquire takes a slot for a request beside the pace. False: the run stops.
func (r *run) acquire() bool {
	if r.stops() || r.slots == nil {
		return r.sending.Err() == nil
	}
	select {
	case r.slots <- struct{}{}:
		return true
	case <-r.sending.Done():
		return false
	}
}

// start runs the exchange in a goroutine of its own. then, if given, gets the record
// instead of the journal.
func (r *run) start(j *job, then func(*journal.Request)) {
	f := &r.flight
	f.mu.Lock()
	if r.cfg.Balance != nil && (!j.warmup || j.conversation != nil) {
		j.target, j.picked = r.cfg.Balance.Pick(j.stickyKey), true
	}
	var w *worker
	if n := len(f.free); n > 0 {
		w, f.free = f.free[n-1], f.free[:n-1]
	} else {
		w = newWorker(r)
	}
	f.flying++
	f.peak = max(f.peak, f.flying)
	r.cfg.Progress.inFlight.Store(int64(f.flying))
	f.mu.Unlock()
	f.wait.Go(func() { w.exchange(j, then) })
}

// ended gives back what start took.
func (r *run) ended(w *worker, j *job, end int64) {
	f := &r.flight
	f.mu.Lock()
	f.cancelled = f.cancelled || w.record.Outcome == journal.Cancelled
	if !j.warmup && f.tooLong(w.record.Outcome) {
		r.cancel(errOverlong)
	}
	if !j.warmup && f.failing(&w.record, r.cfg.Conversations) {
		r.cancel(&failingError{f.failed, f.ended})
	}
	f.free = append(f.free, w)
	f.flying--
	if j.picked {
		r.cfg.Balance.Done(j.target)
	}
	f.last = max(f.last, end)
	r.cfg.Progress.inFlight.Store(int64(f.flying))
	f.mu.Unlock()
	if r.slots != nil {
		<-r.slots
	}
	if r.slots != nil || r.conversations != nil {
		r.signal()
	}
}

// enoughLong is how many answers that are far too long are no accident.
const enoughLong = 3

// tooLong says whether answers are far too long as a rule: each takes many
// times as long as planned, and none is what was to be measured. The lock is held.
func (f *flight) tooLong(o journal.Outcome) bool {
	switch o {
	case journal.Long:
		f.long++
	case journal.Complete:
		f.complete++
	}
	return f.long >= enoughLong && f.long > f.complete
}

// minEnded is how many requests must have ended before their failures end a run.
const minEnded = 10

// failing says whether more requests have failed than the conversations of a run may have. The lock is held.
func (f *flight) failing(record *journal.Request, c *Conversations) bool {
	if c == nil || c.AbortRatio == 0 || record.Outcome == journal.Cancelled || record.Outcome == journal.HungUp || record.Overflow() {
		return false
	}
	f.ended++
	if record.Outcome != journal.Complete {
		f.failed++
	}
	return f.ended >= max(c.MaxOpen, minEnded) && float64(f.failed) > c.AbortRatio*float64(f.ended)
}

// Overlong is Result.Interrupted of a run whose answers are far longer than asked for.
const Overlong = "answers far longer than asked for"

// Why a run stopped early, and, as planned, for its Watch.
var (
	errDeadline = errors.New(journal.Deadline)
	errSignal   = errors.New(journal.Signal)
	errOverlong = errors.New(Overlong)
	errHalted   = errors.New("halted")
	errGrace    = errors.New(journal.Grace)
)

// failingError is why a run stopped early of which too many requests failed.
type failingError struct{ failed, ended int }

func (e *failingError) Error() string {
	return fmt.Sprintf("%d of the first %d requests failed", e.failed, e.ended)
}

// stopped says why the run stops early, nil while it doesn't.
func (r *run) stopped() error {
	if r.ctx.Err() != nil {
		switch cause := context.Cause(r.ctx); {
		case cause == errGrace: // as planned
			return nil
		case cause == errDeadline, cause == errOverlong, errors.As(cause, new(*failingError)):
			return cause
		}
		return errSignal
	}
	if r.sending.Err() != nil && context.Cause(r.sending) != errHalted {
		return errSignal
	}
	return nil
}

// unpaused returns at once unless the pace stands still, and then when it goes on. False:
// the run stops.
func (r *run) unpaused() bool {
	for {
		change := r.cfg.Control.next()
		if !r.cfg.Control.Paused() {
			return true
		}
		select {
		case <-change:
		case <-r.sending.Done():
			return false
		}
	}
}

// paceNow is the time on the pace's clock, which stands still in a pause.
func (r *run) paceNow() int64 {
	now := r.cfg.Clock.Now()
	return now - r.cfg.Control.stood(now)
}

// UntilDrain is a context that drain ends too, with a cause of its own, until stop is called.
func UntilDrain(ctx context.Context, drain <-chan struct{}, cause error) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-drain:
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
