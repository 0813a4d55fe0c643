package pace

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// The two ways in which vLLM raises the rate from request to request.
const (
	RampLinear      = "linear"
	RampExponential = "exponential"
)

// ramp raises the rate by the request's index, not by time, as vLLM does. Its
// times are not rescaled.
type ramp struct {
	spec    Spec
	gap     func(rate float64) float64
	index   int
	at      float64
	whole   int // the highest whole rate reached so far
	reached []int
}

func newRamp(s Spec) (Pace, error) {
	if err := s.checkBurstiness(); err != nil {
		return nil, err
	}
	switch {
	case s.RampStrategy != RampLinear && s.RampStrategy != RampExponential:
		return nil, fmt.Errorf("ramp-up strategy %q is unknown: use %s or %s", s.RampStrategy, RampLinear, RampExponential)
	case s.N <= 0:
		return nil, fmt.Errorf("a ramp by request needs the number of requests: use stages such as 60s@1-50 for a ramp in time")
	case s.RampStart < 0 || s.RampEnd < 0:
		return nil, fmt.Errorf("ramp-up rates %v to %v: they must not be negative", s.RampStart, s.RampEnd)
	case s.RampStart > s.RampEnd:
		return nil, fmt.Errorf("ramp-up rates %v to %v: the start must not be above the end", s.RampStart, s.RampEnd)
	case s.RampStart == 0:
		// The first request would wait for 1/0 seconds; vLLM stops at it too.
		return nil, fmt.Errorf("ramp-up from a rate of 0 has no first request: start above 0")
	}
	return clock{&ramp{spec: s, gap: gapAt(s), whole: int(s.RampStart)}}, nil
}

func (r *ramp) next() (float64, bool) {
	rate := r.rate()
	r.index++
	r.at += r.gap(rate)
	r.reached = r.reached[:0]
	for int(rate) > r.whole {
		r.whole++
		r.reached = append(r.reached, r.whole)
	}
	return r.at, true
}

func (r *ramp) rate() float64 {
	a, b := r.spec.RampStart, r.spec.RampEnd
	progress := float64(r.index) / float64(max(r.spec.N-1, 1))
	if r.spec.RampStrategy == RampExponential {
		return a * numpy.Pow(b/a, progress)
	}
	return a + float64((b-a)*progress)
}

// gapAt draws gaps at a rate that changes.
func gapAt(s Spec) func(rate float64) float64 {
	if s.even() {
		return func(rate float64) float64 { return 1 / rate }
	}
	r := s.random()
	return func(rate float64) float64 { return r.Gamma(s.Burstiness, 1/(rate*s.Burstiness)) }
}

// Ramp is a pace whose rate rises with the requests: what vLLM records as
// rps_change_events.
type Ramp interface {
	// StartRate is the whole rate in force at the start.
	StartRate() int
	// Reached lists the whole rates first reached by the request of the last
	// Next. The slice holds until the Next after it.
	Reached() []int
}

// AsRamp finds the ramp in p, if p is one.
func AsRamp(p Pace) (Ramp, bool) { return find[Ramp](p) }

// StartRate implements Ramp.
func (r *ramp) StartRate() int { return int(r.spec.RampStart) }

// Reached implements Ramp.
func (r *ramp) Reached() []int { return r.reached }
