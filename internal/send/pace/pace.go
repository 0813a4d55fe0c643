// Package pace is when requests are sent: a stream of due times. A closed loop
// has none (each request is due when its slot is free); everything else is an
// arrival process, one file each with its options, and one name in the table of
// registry.go.
//
// Inside the package times are float64 seconds, added up in the order in which
// vLLM's client adds them, so that the same seed gives the same schedule bit for
// bit. They become a time.Duration only at the edge, in Next.
package pace

import (
	"math"
	"time"
)

// Pace gives the due time of each request from the start of the run, request by
// request. ok is false when no more requests are to be sent (a bound, the stages
// or the trace are over). A trace may step back in time: such a request is due
// already and goes at once. A Pace is used by one goroutine.
type Pace interface {
	Next() (due time.Duration, ok bool)
}

// arrivals is a process in float64 seconds.
type arrivals interface {
	next() (seconds float64, ok bool)
}

// clock is a process at the edge: what the constructors give to others.
type clock struct{ arrivals }

func (c clock) Next() (time.Duration, bool) {
	s, ok := c.next()
	if !ok {
		return 0, false
	}
	return duration(s), true
}

// duration rounds to the nearest nanosecond and stops at what a Duration holds.
func duration(seconds float64) time.Duration {
	ns := math.Round(seconds * 1e9)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
