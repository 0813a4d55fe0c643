package load

import (
	"runtime"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
)

// deafWait is how long the dispatcher of conversations may be deaf: an answer that
// comes meanwhile may make a turn due at once.
const deafWait = 200 * time.Microsecond

// conversing is the dispatcher's own state.
type conversing struct {
	*run
	jobs  <-chan *job // first turns, in order; nil: there are no more
	first *job        // the next of them; nil: not there yet
	timer *time.Timer
	now   int64 // when it last looked at what is due, by the pace's clock as all that is due
	// held: something is due and has no slot, or may not be opened.
	held bool
}

// converse sends conversations: their first turns by the pace, or in a closed loop when
// there is room for another one, all others when the answers that they wait for are
// there. A turn that is due goes before a conversation that is to be begun. It ends when
// all conversations are over, or with the run.
func (r *run) converse() error {
	if ramp, ok := pace.AsRamp(r.cfg.Pace); ok {
		r.changed(ramp.StartRate())
	}
	defer r.prepareAhead()()
	defer r.ownThread()()
	d := &conversing{run: r, jobs: r.jobs, timer: time.NewTimer(0)}
	defer d.timer.Stop()
	for {
		if why := d.ending(); why != "" {
			r.early = r.stopped() != nil
			r.talks.stop(why)
			return nil
		}
		if d.first != nil && d.first.err != nil {
			err := d.first.err
			r.talks.stop(err.Error())
			return err
		}
		if r.cfg.Control.Paused() {
			_ = r.unpaused() // what ends the run is seen above
			continue
		}
		d.now = r.paceNow()
		if d.sendDue() || d.begin() {
			continue
		}
		if _, open := r.talks.look(); d.first == nil && d.jobs == nil && open == 0 {
			return nil
		}
		d.wait()
	}
}

// ending says why no more turns are sent; empty: they are.
func (d *conversing) ending() string {
	switch err := d.stopped(); {
	case err != nil:
		return err.Error()
	case d.watch.halted():
		return d.watch.reason
	case d.cfg.Talks.MaxRequests > 0 && d.sent >= d.cfg.Talks.MaxRequests:
		return "max requests"
	case d.length > 0 && d.paceNow() >= int64(d.length):
		return "duration"
	}
	return ""
}

// sendDue sends a turn that is due, if there is one and a slot for it.
func (d *conversing) sendDue() bool {
	at, _ := d.talks.look()
	if at < 0 || at > d.now {
		return false
	}
	if !d.slot() {
		return false
	}
	if !d.maySend() {
		d.giveBack()
		return true // the run stops
	}
	j := d.talks.take(d.now)
	switch {
	case j == nil: // its conversation has failed meanwhile
		d.giveBack()
	case j.body == nil: // it is due soon
		d.giveBack()
		d.inFlight.Go(func() { d.talks.make(j) })
	default:
		d.sendTurn(j)
	}
	return true
}

// begin opens the next conversation, if it is due and there is room for it.
func (d *conversing) begin() bool {
	j := d.first
	if j == nil || !d.closed && j.due > d.now {
		return false
	}
	if _, open := d.talks.look(); d.cfg.Talks.MaxOpen > 0 && open >= d.cfg.Talks.MaxOpen {
		d.held = true
		return false
	}
	if !d.slot() {
		return false
	}
	if !d.maySend() {
		d.giveBack()
		return true // the run stops
	}
	scheduled := j.due
	if d.closed {
		scheduled, j.due = 0, d.paceNow()
	}
	plan, index := j.talk.plan, j.request.Index
	d.first = nil
	d.talks.begin(j)
	d.sendTurn(j)
	d.sum.add(index, scheduled, [][]byte{plan.AppendPlan(nil)})
	return true
}

// slot takes one if it is free. One that was waited for is noted: what was due
// meanwhile was held back by that, not by us.
func (d *conversing) slot() bool {
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

func (d *conversing) maySend() bool { return d.cfg.Sending == nil || d.cfg.Sending(d.sent+1) }

func (d *conversing) giveBack() {
	if d.slots != nil {
		<-d.slots
	}
}

func (d *conversing) sendTurn(j *job) {
	d.postpone(j)
	j.released = d.cfg.Clock.Now()
	j.released -= max(d.freed-j.due, 0)
	j.released = max(j.released, j.due)
	rates := j.rates
	d.start(j, nil)
	for _, rps := range rates {
		d.changed(rps)
	}
	d.sent++
	d.cfg.Progress.sent.Store(int64(d.sent))
}

// wait sleeps until something may have changed.
func (d *conversing) wait() {
	until := int64(1) << 62
	at, _ := d.talks.look()
	// What was due by d.now has no slot, and its end wakes us. What has become due since
	// then was not looked at yet.
	if at > d.now {
		until = at
	}
	if d.first != nil && !d.closed && d.first.due > d.now {
		until = min(until, d.first.due)
	}
	if d.length > 0 {
		until = min(until, int64(d.length))
	}
	change := d.cfg.Control.next()
	sleep := time.Duration(until - d.paceNow())
	if sleep <= deafWait {
		runtime.Gosched() // what has just been started goes first
		if sleep = time.Duration(until - d.paceNow()); sleep > 0 {
			d.sleep(sleep)
		}
		return
	}
	d.timer.Reset(sleep - deafWait)
	jobs := d.jobs
	if d.first != nil {
		jobs = nil
	}
	select {
	case j, ok := <-jobs:
		if d.first = j; !ok {
			d.jobs = nil
		} else {
			d.room.take(j.size)
		}
	case <-d.talks.wake:
	case <-d.timer.C:
	case <-change:
	case <-d.drain:
	case <-d.watch.halt:
	case <-d.ctx.Done():
	}
}
