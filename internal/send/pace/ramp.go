package pace

import (
	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
)

// The two ways in which vLLM raises the rate from request to request.
const (
	RampLinear      = "linear"
	RampExponential = "exponential"
)

var ramping = NewKind(Kind{Name: Ramping, Doc: "The rate rises from request to request, as vLLM does it.", By: "ramp_up_strategy"}, newRamp)

// RampOptions shape the ramp by requests.
type RampOptions struct {
	Strategy string `json:"ramp_up_strategy" flag:"ramp-up-strategy" choices:"linear,exponential" help:"Raise the rate with each request, from --ramp-up-start-rps to --ramp-up-end-rps."`
	StartRPS *int   `json:"ramp_up_start_rps" flag:"ramp-up-start-rps" metavar:"RATE" help:"Rate of the first request."`
	EndRPS   *int   `json:"ramp_up_end_rps" flag:"ramp-up-end-rps" metavar:"RATE" help:"Rate of the last request."`
	SpreadOptions
}

// Check implements [option.Checker].
func (o *RampOptions) Check() error {
	switch start, end := o.StartRPS, o.EndRPS; {
	case o.Strategy == "":
		return option.Errorf("ramp_up_strategy", "is needed: linear or exponential")
	case start == nil || end == nil:
		return option.Errorf("ramp_up_strategy", "needs %s and %s", option.Ref("ramp_up_start_rps"), option.Ref("ramp_up_end_rps"))
	case *start < 0:
		return option.Errorf("ramp_up_start_rps", "can't be negative, as %d is", *start)
	case *end < 0:
		return option.Errorf("ramp_up_end_rps", "can't be negative, as %d is", *end)
	case *start > *end:
		return option.Errorf("ramp_up_start_rps", "must not be above %s, as %d is above %d", option.Ref("ramp_up_end_rps"), *start, *end)
	case *start == 0: // the first request would wait for 1/0 seconds; vLLM stops at it too
		return option.Errorf("ramp_up_start_rps", "must be above 0: the first request of a rate of 0 would never be sent").
			WithHint("a ramp from 0 in time is %s 0..%d %s 60s", option.Ref("ramp_rate"), *end, option.Ref("ramp_duration"))
	}
	return nil
}

// CheckWith looks at the options beside those of all paces.
func (o *RampOptions) CheckWith(s *Spec) error {
	if s.N > 0 {
		return nil
	}
	length := "60s"
	if s.Duration > 0 {
		length = s.Duration.String()
	}
	return option.Errorf("ramp_up_strategy", "goes by the number of requests and needs %s beside %s", option.Ref("num_prompts"), option.Ref("duration")).
		WithHint("a ramp in time is %s %d..%d %s %s", option.Ref("ramp_rate"), *o.StartRPS, *o.EndRPS, option.Ref("ramp_duration"), length)
}

// ramp raises the rate by the request's index, not by time, as vLLM does. Its
// times are not rescaled.
type ramp struct {
	n           int
	start, end  float64
	exponential bool
	gap         func(rate float64) float64
	index       int
	at          float64
	whole       int // the highest whole rate reached so far
	reached     []int
}

func newRamp(s Spec, o *RampOptions) (Pace, error) {
	return clock{&ramp{
		n: s.N, start: float64(*o.StartRPS), end: float64(*o.EndRPS), exponential: o.Strategy == RampExponential,
		gap: o.gapAt(s), whole: *o.StartRPS,
	}}, nil
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
	progress := float64(r.index) / float64(max(r.n-1, 1))
	if r.exponential {
		return r.start * numpy.Pow(r.end/r.start, progress)
	}
	return r.start + float64((r.end-r.start)*progress)
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
func (r *ramp) StartRate() int { return int(r.start) }

// Reached implements Ramp.
func (r *ramp) Reached() []int { return r.reached }
