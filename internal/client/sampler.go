// Package client knows what this process uses and what its machine is doing.
package client

import "time"

// Sampler does something again and again while a run goes on.
type Sampler struct {
	quit, done chan struct{}
}

// StartSampler calls write so often, and once at the end; with atOnce also now, without
// waiting for that.
func StartSampler(every time.Duration, atOnce bool, write func()) *Sampler {
	s := &Sampler{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		if atOnce {
			write()
		}
		for {
			select {
			case <-tick.C:
				write()
			case <-s.quit:
				write()
				return
			}
		}
	}()
	return s
}

// Stop waits for the last call. A nil Sampler has none.
func (s *Sampler) Stop() {
	if s != nil {
		close(s.quit)
		<-s.done
	}
}
