package client

import (
	"sync/atomic"
	"time"
)

// Wakeups measures how late this process runs when something is due: where the kernel
// does not say when bytes arrived, each event's time is late by as much. A timer comes
// by the same way as bytes do, through Go's poller and scheduler.
type Wakeups struct {
	worst      atomic.Int64 // since it was last asked
	quit, done chan struct{}
}

// wakeEvery is often enough that the worst of a second is about a p99.
const wakeEvery = 5 * time.Millisecond

// StartWakeups begins to measure.
func StartWakeups() *Wakeups {
	w := &Wakeups{quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		timer := time.NewTimer(0)
		defer timer.Stop()
		<-timer.C
		for {
			due := time.Now().Add(wakeEvery)
			timer.Reset(wakeEvery)
			select {
			case <-timer.C:
			case <-w.quit:
				return
			}
			w.worst.Store(max(w.worst.Load(), int64(time.Since(due)))) // take may lose one to us; the next one is 5 ms away
		}
	}()
	return w
}

// Take gives the worst since the last time; 0 where nothing measures.
func (w *Wakeups) Take() int64 {
	if w == nil {
		return 0
	}
	return w.worst.Swap(0)
}

// Stop ends it. A nil Wakeups measures nothing.
func (w *Wakeups) Stop() {
	if w != nil {
		close(w.quit)
		<-w.done
	}
}
