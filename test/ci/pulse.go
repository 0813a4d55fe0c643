package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// A pulse is the time that a fixed piece of work takes here and now. On a slower machine it takes longer, beside
// other work too: budgets are stretched by it, so that nothing fails because the machine was busy.
type pulse struct {
	at      time.Time
	seconds float64
}

// pulses are taken every few seconds of a run, at the cost of some hundredth of a processor.
type pulses struct {
	mu     sync.Mutex
	all    []pulse
	paused atomic.Bool // while something is measured, which a pulse would disturb
	stop   chan struct{}
	done   chan struct{}
}

const (
	pulseEvery = 5 * time.Second
	pulseWork  = 60_000_000 // some 60 ms: long enough to feel who else runs
)

func startPulses() *pulses {
	p := &pulses{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			if !p.paused.Load() {
				p.take()
			}
			select {
			case <-p.stop:
				return
			case <-time.After(pulseEvery):
			}
		}
	}()
	return p
}

func (p *pulses) take() {
	began := time.Now()
	work(pulseWork)
	took := since(began)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, pulse{began, took})
}

// sink keeps the compiler from leaving the work out.
var sink atomic.Uint64

func work(n int) {
	x := uint64(88172645463325252)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	sink.Store(x)
}

// between is the mean of the pulses from some before one time to some after the other; where there are none, because
// something was measured, the last one.
func (p *pulses) between(from, to time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum, n := 0.0, 0
	for _, one := range p.all {
		if one.at.After(from.Add(-3*pulseEvery)) && one.at.Before(to.Add(3*pulseEvery)) {
			sum += one.seconds
			n++
		}
	}
	switch {
	case n > 0:
		return sum / float64(n)
	case len(p.all) > 0:
		return p.all[len(p.all)-1].seconds
	}
	return 0
}

func (p *pulses) end() {
	close(p.stop)
	<-p.done
}
