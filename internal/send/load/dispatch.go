package load

import (
	"crypto/sha256"
	"runtime"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/pace"
)

// How long the dispatcher may be deaf: the last part of a wait is slept through in the kernel. With conversations an
// answer that comes meanwhile may make a turn due at once.
const (
	shortWait = 2 * time.Millisecond
	turnWait  = 200 * time.Microsecond
)

// dispatcher sends what is due. A request is a conversation of one turn: what the workload lists is begun by the pace,
// or in a closed loop when there is a slot for another one; turns follow when the answers that they wait for are there,
// and go before what is to be begun.
type dispatcher struct {
	*run
	jobs   <-chan *job // made ahead, in order; nil: there are no more
	next   *job        // the first of them; nil: not there yet
	timer  *time.Timer
	closed bool          // a request is due when its slot is free
	length time.Duration // after which no more is sent; 0: no bound

	now   int64 // when it last looked at what is due, by the pace's clock as all that is due
	held  bool  // something is due and has no slot
	freed int64 // when it last had a slot that it had waited for
	full  bool  // a conversation may not be begun, since too many are open

	sent  int
	early bool         // stopped before all was sent
	sum   *workloadSum // of the measured part
	rates []journal.RPSChange
}

func newDispatcher(r *run) *dispatcher {
	d := &dispatcher{run: r, timer: time.NewTimer(0), closed: pace.DueWhenFree(r.cfg.Pace), sum: newWorkloadSum(sha256.New())}
	if d.closed || r.conversations != nil { // else the pace ends by itself
		d.length = pace.Length(r.cfg.Pace)
	}
	if r.conversations != nil {
		r.conversations.idle = r.paceNow()
	}
	return d
}

// dispatch sends all. It ends when all was sent and no conversation is open, or with the run.
func (d *dispatcher) dispatch() error {
	if ramp, ok := pace.AsRamp(d.cfg.Pace); ok {
		d.reached(ramp.StartRate())
	}
	defer d.makeAhead()()
	if !d.closed && d.cfg.Keep {
		defer sharpen()()
	}
	defer d.timer.Stop()
	d.jobs = d.ahead.jobs
	for {
		if why := d.ending(); why != "" {
			d.early = d.stopped() != nil
			d.conversations.stop(why)
			return nil
		}
		d.receive()
		if d.next != nil && d.next.err != nil {
			d.conversations.stop(d.next.err.Error())
			return d.next.err
		}
		if d.cfg.Control.Paused() {
			_ = d.unpaused() // what ends the run is seen above
			continue
		}
		d.now = d.paceNow()
		if d.sendTurn() || d.begin() {
			continue
		}
		if d.next == nil && d.jobs == nil && d.conversations.count() == 0 {
			return nil
		}
		d.wait()
	}
}

// ending says why no more is sent; empty: it is.
func (d *dispatcher) ending() string {
	if d.stops() {
		if err := d.stopped(); err != nil {
			return err.Error()
		}
		return d.watch.reason
	}
	limits := d.cfg.Conversations
	switch {
	case limits != nil && limits.MaxRequests > 0 && d.sent >= limits.MaxRequests:
		return "max requests"
	case d.length > 0 && d.paceNow() >= int64(d.length):
		return "duration"
	}
	return ""
}

// receive takes the next job, if it is made.
func (d *dispatcher) receive() {
	if d.next != nil {
		return
	}
	select {
	case j, ok := <-d.jobs:
		d.received(j, ok)
	default:
	}
}

func (d *dispatcher) received(j *job, ok bool) {
	if !ok {
		d.jobs = nil
		return
	}
	d.next = j
	d.ahead.budget.release(j.size)
}

// sendTurn sends a turn that is due, if there is one and a slot for it.
func (d *dispatcher) sendTurn() bool {
	at, made := d.conversations.first()
	if at < 0 || at > d.now || made && !d.slot() {
		return false
	}
	if made && !d.maySend() {
		return true
	}
	j := d.conversations.take(d.now)
	if made && (j == nil || j.body == nil) { // the one before it has gone meanwhile
		d.giveBack()
	}
	switch {
	case j == nil:
	case j.body == nil: // it is due soon
		d.conversations.prepareAll([]*job{j})
	default:
		d.send(j, false)
	}
	return true
}

// begin sends the next job of the workload, if it is due and there is room for it.
func (d *dispatcher) begin() bool {
	j := d.next
	if j == nil || !d.closed && j.due > d.now {
		return false
	}
	if d.closed && d.cfg.Batch > 0 && j.request.Index%d.cfg.Batch == 0 && d.flight.busy() {
		d.flight.wait.Wait() // the batch before it; what is in flight ends when the run is cancelled
		return true
	}
	if j.conversation != nil && !d.room() {
		d.full = true
		return false
	}
	if !d.slot() {
		return false
	}
	if !j.warmup && j.conversation == nil && !d.maySend() {
		return true
	}
	index, scheduled, summed := j.request.Index, j.due, j.summed
	if d.closed {
		scheduled, j.due = 0, d.paceNow()
	}
	d.next = nil
	if j.conversation != nil {
		d.giveBack() // its first turn takes one
		if d.full {
			j.freed, d.full = d.cfg.Clock.Now(), false
		}
		d.conversations.begin(j)
	} else {
		d.send(j, d.closed)
	}
	d.sum.add(index, scheduled, summed)
	if !d.closed {
		runtime.Gosched() // what has just been started goes first
	}
	return true
}

// room says whether another conversation may be begun.
func (d *dispatcher) room() bool {
	c := d.cfg.Conversations
	return c.MaxOpen == 0 || d.conversations.count() < c.MaxOpen
}

// slot takes one if it is free. One that was waited for is noted: what was due
// meanwhile was held back by that, not by us.
func (d *dispatcher) slot() bool {
	if d.slots != nil {
		select {
		case d.slots <- struct{}{}:
		default:
			d.held = true
			return false
		}
	}
	if d.held {
		d.held, d.freed = false, d.cfg.Clock.Now()
	}
	return true
}

func (d *dispatcher) giveBack() {
	if d.slots != nil {
		<-d.slots
	}
}

// maySend asks whoever counts what is sent. False: no more is, and the slot is given back.
func (d *dispatcher) maySend() bool {
	if d.cfg.Sending == nil || d.cfg.Sending(d.sent+1) {
		return true
	}
	d.giveBack()
	d.stopSending(errSignal)
	return false
}

// send starts a request whose due time is the pace's clock's; dueNow: it can't be late. What is only bookkeeping comes
// after it is on its way.
func (d *dispatcher) send(j *job, dueNow bool) {
	now := d.cfg.Clock.Now()
	j.due += d.cfg.Control.stood(now)
	j.released = j.due
	if !dueNow {
		// What was due while the one before it waited for a slot, or its conversation for its begin, was held back by that, not by us.
		j.released = max(now-max(d.freed-j.due, j.freed-j.due, 0), j.due)
	}
	rates, measured := j.rates, !j.warmup
	if j.conversation != nil {
		d.conversations.released(j)
	}
	d.start(j, d.keep)
	for _, rate := range rates {
		d.reached(rate)
	}
	if measured {
		d.sent++
	}
	d.cfg.Progress.sent.Store(int64(d.sent))
}

// reached notes that the pace has reached a rate, for vLLM's rps_change_events.
func (d *dispatcher) reached(rate int) {
	d.rates = append(d.rates, journal.RPSChange{RPS: rate, UnixNs: clock.Now().UnixNano()})
}

// wait sleeps until something may have changed.
func (d *dispatcher) wait() {
	const never = int64(1) << 62
	until, deaf, jobs, wake := never, shortWait, d.jobs, d.wake
	if d.conversations != nil {
		deaf = turnWait
		begins := d.closed && (d.next != nil || d.jobs != nil) && d.room() // as soon as it is made
		if !begins && d.conversations.skipAllIdle() {
			return
		}
		// What was due by d.now has no slot, and its end wakes us. What has become due since
		// then was not looked at yet.
		if at, _ := d.conversations.first(); at > d.now {
			until = at
		}
	} else if !d.held {
		wake = nil // no end of a request changes anything
	}
	if d.next != nil {
		jobs = nil
		if !d.closed && d.next.due > d.now {
			until = min(until, d.next.due)
		}
	}
	if d.length > 0 {
		until = min(until, int64(d.length))
	}
	change := d.cfg.Control.next()
	var passed <-chan time.Time
	if until < never {
		sleep := time.Duration(until - d.paceNow())
		if sleep <= deaf {
			runtime.Gosched() // what has just been started goes first: a sleeping thread keeps its place in Go's scheduler
			if sleep = time.Duration(until - d.paceNow()); sleep > 0 {
				d.sleep(sleep)
			}
			return
		}
		d.timer.Reset(sleep - deaf)
		passed = d.timer.C
	}
	select {
	case j, ok := <-jobs:
		d.received(j, ok)
	case <-wake:
	case <-passed:
	case <-change:
	case <-d.sending.Done():
	}
}

// sleep is for the last part of a wait.
func (d *dispatcher) sleep(wait time.Duration) {
	switch {
	case d.cfg.GoTimers:
		time.Sleep(wait)
	case d.cfg.Keep:
		keptSleep(wait)
	default:
		exactSleep(wait)
	}
}

// result is what the run knows when all has ended.
func (d *dispatcher) result() *Result {
	res := &Result{
		Sent: d.sent, PeakInFlight: d.flight.peak, RPSChanges: d.rates, End: d.flight.last, Stopped: d.watch.reason,
		WorkloadSHA: d.sum.hex(), Unnamed: d.names.unnamed,
	}
	if d.conversations != nil {
		res.Skips = d.conversations.skips
	}
	// Asked to stop when all was sent and answered, a run is whole.
	if err := d.stopped(); err != nil && (d.early || d.flight.cancelled) {
		res.Interrupted = err.Error()
	}
	return res
}
