//go:build !linux

package engine

import "time"

// waiter sleeps until a time or until woken, with the runtime's timer.
type waiter struct {
	timer *time.Timer
	woken chan struct{}
}

func (w *waiter) init() error {
	w.timer = time.NewTimer(time.Hour)
	w.woken = make(chan struct{}, 1)
	return nil
}

func (w *waiter) arm(d time.Duration) { w.timer.Reset(d) }

func (w *waiter) wait() {
	select {
	case <-w.timer.C:
	case <-w.woken:
	}
}

func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (w *waiter) close() { w.timer.Stop() }
