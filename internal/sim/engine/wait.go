package engine

import "time"

// waiter sleeps until a time or until woken.
type waiter interface {
	// arm sets when wait ends. The pump arms under its lock before it shows that it
	// sleeps, so that no wake is undone by a later arm.
	arm(d time.Duration)
	// wait may also end early; the pump looks at its clock anyway.
	wait()
	// wake ends a wait at once. Any goroutine may call it.
	wake()
	stop()
}

// timerWaiter waits by Go's timers, which a synctest bubble moves.
type timerWaiter struct {
	timer *time.Timer
	woken chan struct{}
}

func newTimerWaiter() waiter {
	return &timerWaiter{timer: time.NewTimer(time.Hour), woken: make(chan struct{}, 1)}
}

func (w *timerWaiter) arm(d time.Duration) { w.timer.Reset(d) }

func (w *timerWaiter) wait() {
	select {
	case <-w.timer.C:
	case <-w.woken:
	}
}

func (w *timerWaiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (w *timerWaiter) stop() { w.timer.Stop() }
