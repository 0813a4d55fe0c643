package load

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// ahead is how many requests are prepared before they are due. Those of a trace come in
// bursts, for which more have to lie ready; aheadBytes bounds them as well.
const (
	ahead      = 64
	aheadTimed = 4096
)

// job is one request, ready to be sent.
type job struct {
	request workload.Request
	id      string
	body    []byte
	summed  [][]byte // of body, what the workload's hash is over
	size    int      // that it took of run.room, which whoever receives it from run.jobs gives back, once
	// promptHash is kept where the prompt is not.
	promptHash string
	due        int64 // by the pace's clock, and when it is sent on the run's; in a closed loop it is set when a slot is free
	stood      int64 // what of due is pauses
	rates      []int // whole rates that the pace first reached with this request
	warmup     bool
	inputs     int    // texts in it, where it is no single one
	soundNs    int64  // length of the sound in it
	media      int    // images, videos and sounds in it
	stickyKey  uint64 // for Balance; 0 with one server
	target     int
	picked     bool // Balance chose the target, and is to be told of the end

	released int64
	err      error // the source or the protocol failed; no job follows

	talk    *open  // the conversation that it is part of; nil: none
	turn    int    // of it, from 0
	at      int64  // when the dispatcher looks at it: when it is due, or before that to make its body
	others  []*job // turns that begin with this one
	after   []int  // what it waited for, by index
	delay   int64  // of it
	session string
	scored  *scored // nil: it asks for no likelihood
}

// run is the state of one Run.
type run struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelCauseFunc
	drain  <-chan struct{}
	watch  watching

	closed bool          // a request is due when its slot is free
	length time.Duration // after which a closed loop sends no more; 0: no bound

	jobs     chan *job     // that are prepared; nil: not yet
	room     *room         // of the bodies that wait to be due
	slots    chan struct{} // a token for each request that may be in flight; nil: no limit
	freed    int64         // when the dispatcher last had waited for one
	inFlight sync.WaitGroup

	mu     sync.Mutex
	free   []*worker
	flying int
	peak   int
	// cancelled: a request was ended by us.
	cancelled bool
	last      int64 // end of the last request that has ended
	long      int   // measured requests that were cut off for their length
	complete  int   // and those that were not

	talks *talks // nil: the source has no conversations

	early bool // stopped before all was sent
	sent  int
	sum   *workloadSum // of the measured part
	rps   []journal.RPSChange

	pauses []journal.Pause
}

func newRun(ctx context.Context, drain <-chan struct{}, cfg Config) *run {
	r := &run{cfg: cfg, drain: drain, room: newRoom(aheadBytes)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if cfg.Pace != nil {
		r.closed, r.length = pace.DueWhenFree(cfg.Pace), pace.Length(cfg.Pace)
	}
	if cfg.Concurrency > 0 {
		r.slots = make(chan struct{}, cfg.Concurrency)
	}
	if cfg.Talks != nil {
		r.talks = newTalks(r)
	}
	if r.cfg.Progress == nil {
		r.cfg.Progress = &Progress{}
	}
	return r
}

// dispatchAll sends each job when it is due and a slot is free.
func (r *run) dispatchAll() error {
	if ramp, ok := pace.AsRamp(r.cfg.Pace); ok {
		r.changed(ramp.StartRate())
	}
	defer r.prepareAhead()()
	defer r.ownThread()()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var j *job
		var ok bool
		select {
		case j, ok = <-r.jobs:
		case <-r.drain:
		case <-r.watch.halt:
		case <-r.ctx.Done():
		}
		switch {
		case !ok:
			r.early = r.stopped() != nil
			return nil
		}
		r.room.take(j.size)
		switch {
		case j.err != nil:
			return j.err
		case !r.await(timer, j) || !r.acquire() || !r.goesOn(j) || !r.maySend(j):
			r.early = r.stopped() != nil
			return nil
		case r.closed && r.length > 0 && r.paceNow() >= int64(r.length):
			return nil // the slot that was taken is not needed any more
		}
		r.send(j)
	}
}

// await sleeps until the job is due. False: the run stops.
func (r *run) await(timer *time.Timer, j *job) bool {
	if r.closed {
		r.awaitBatch(j)
		return true
	}
	for {
		change := r.cfg.Control.next()
		if !r.unpaused() {
			return false
		}
		wait := time.Duration(j.due - r.paceNow())
		if wait <= shortWait {
			break
		}
		timer.Reset(wait - shortWait)
		select {
		case <-timer.C:
		case <-change:
		case <-r.drain:
			return false
		case <-r.watch.halt:
			return false
		case <-r.ctx.Done():
			return false
		}
	}
	runtime.Gosched() // what has just been started goes first: a sleeping thread keeps its place in Go's scheduler
	r.postpone(j)
	if wait := j.due - r.cfg.Clock.Now(); wait > 0 {
		r.sleep(time.Duration(wait))
	}
	j.released = r.cfg.Clock.Now()
	// What was due while the one before it waited for a slot was held back by that, not by us.
	j.released -= max(r.freed-j.due, 0)
	return true
}

// awaitBatch waits, before the first request of a batch, until the batch before it
// has ended. What is in flight ends when the run is cancelled, so this does too.
func (r *run) awaitBatch(j *job) {
	if r.cfg.Batch > 0 && j.request.Index%r.cfg.Batch == 0 {
		r.inFlight.Wait()
	}
}

// shortWait is how long the dispatcher may be deaf: the last part of a wait is
// slept through in the kernel.
const shortWait = 2 * time.Millisecond

// acquire takes a slot. False: the run stops.
func (r *run) acquire() bool {
	if r.stopped() != nil || r.watch.halted() {
		return false
	}
	if r.slots == nil {
		return true
	}
	select {
	case r.slots <- struct{}{}:
		return true
	default:
	}
	select {
	case r.slots <- struct{}{}:
		r.freed = r.cfg.Clock.Now()
		return true
	case <-r.drain:
		return false
	case <-r.watch.halt:
		return false
	case <-r.ctx.Done():
		return false
	}
}

// maySend asks whoever counts what is sent.
func (r *run) maySend(j *job) bool {
	return r.cfg.Sending == nil || j.warmup || r.cfg.Sending(r.sent+1)
}

// send starts a measured request. What is only bookkeeping comes after it is on its way.
func (r *run) send(j *job) {
	scheduled := j.due - j.stood
	if r.closed {
		scheduled = 0
		j.due = r.cfg.Clock.Now()
		j.released = j.due
	}
	index, summed, rates, measured := j.request.Index, j.summed, j.rates, !j.warmup
	r.start(j, nil)
	for _, rps := range rates {
		r.changed(rps)
	}
	if measured {
		r.sent++
	}
	r.cfg.Progress.sent.Store(int64(r.sent))
	r.sum.add(index, scheduled, summed)
}

// changed notes that the pace has reached a rate, for vLLM's rps_change_events.
func (r *run) changed(rps int) {
	r.rps = append(r.rps, journal.RPSChange{RPS: rps, UnixNs: time.Now().UnixNano()})
}

// start runs the exchange in a goroutine of its own. then, if given, gets the record
// instead of the journal.
func (r *run) start(j *job, then func(*journal.Request)) {
	r.mu.Lock()
	if r.cfg.Balance != nil && !j.warmup {
		j.target, j.picked = r.cfg.Balance.Pick(j.stickyKey), true
	}
	var w *worker
	if n := len(r.free); n > 0 {
		w, r.free = r.free[n-1], r.free[:n-1]
	} else {
		w = newWorker(r)
	}
	r.flying++
	r.peak = max(r.peak, r.flying)
	r.cfg.Progress.inFlight.Store(int64(r.flying))
	r.mu.Unlock()
	r.inFlight.Go(func() { w.exchange(j, then) })
}

// ended gives back what start took.
func (r *run) ended(w *worker, j *job, end int64) {
	r.mu.Lock()
	r.cancelled = r.cancelled || w.record.Outcome == journal.Cancelled
	r.countLong(j, w.record.Outcome)
	r.free = append(r.free, w)
	r.flying--
	if j.picked {
		r.cfg.Balance.Done(j.target)
	}
	r.last = max(r.last, end)
	r.cfg.Progress.inFlight.Store(int64(r.flying))
	r.mu.Unlock()
	if r.slots != nil {
		<-r.slots
	}
	if r.talks != nil {
		r.talks.signal()
	}
}

// enoughLong is how many answers that are far too long are no accident.
const enoughLong = 3

// countLong ends the run when answers are far too long as a rule: each takes many
// times as long as planned, and none is what was to be measured.
func (r *run) countLong(j *job, o journal.Outcome) {
	if j.warmup {
		return
	}
	switch o {
	case journal.Long:
		r.long++
	case journal.Complete:
		r.complete++
	}
	if r.long >= enoughLong && r.long > r.complete {
		r.cancel(errOverlong)
	}
}

// stopped says why the run stops early, nil while it doesn't.
func (r *run) stopped() error {
	if r.ctx.Err() != nil {
		if cause := context.Cause(r.ctx); cause == errDeadline || cause == errOverlong {
			return cause
		}
		return errSignal
	}
	select {
	case <-r.drain:
		return errSignal
	default:
		return nil
	}
}

func (r *run) result() *Result {
	res := &Result{
		Sent: r.sent, PeakInFlight: r.peak, RPSChanges: r.rps, End: r.last, Stopped: r.watch.reason,
		WorkloadSHA: r.sum.hex(), Pauses: r.pauses,
	}
	// Asked to stop when all was sent and answered, a run is whole.
	if err := r.stopped(); err != nil && (r.early || r.cancelled) {
		res.Interrupted = err.Error()
	}
	return res
}
