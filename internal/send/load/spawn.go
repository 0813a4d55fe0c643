package load

import "time"

// spawn takes all slots but one and gives them back at the rate of SpawnRate, as
// users that come one after the other. What it returns ends it.
func (r *run) spawn() (stop func()) {
	rate, later := r.cfg.SpawnRate, cap(r.slots)-1
	if rate <= 0 || later < 1 {
		return func() {}
	}
	for range later {
		r.slots <- struct{}{}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(0)
		defer timer.Stop()
		<-timer.C
		for n := 1; n <= later; n++ {
			at := time.Duration(float64(n) / rate * float64(time.Second))
			if !r.awaitPace(timer, at, quit) {
				return
			}
			<-r.slots
			r.signal()
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// awaitPace waits for a moment of the pace's clock. False: quit was closed.
func (r *run) awaitPace(timer *time.Timer, at time.Duration, quit <-chan struct{}) bool {
	for {
		change := r.cfg.Control.next()
		wait, passes := at-time.Duration(r.paceNow()), timer.C
		if wait <= 0 {
			return true
		}
		timer.Reset(wait)
		if r.cfg.Control.Paused() {
			passes = nil
		}
		select {
		case <-passes:
		case <-change:
		case <-quit:
			return false
		}
	}
}
