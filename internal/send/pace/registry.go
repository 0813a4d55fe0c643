package pace

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// The names of the arrival processes.
const (
	Closed   = "closed"    // due when a slot is free
	Burst    = "burst"     // all at the start
	Constant = "constant"  // evenly at a rate
	Poisson  = "poisson"   // exponential gaps
	Gamma    = "gamma"     // gamma gaps, by burstiness
	Ramping  = "ramp"      // the rate rises from request to request
	RampTime = "ramp-time" // the rate changes evenly over a time
	Staged   = "stages"    // a list of stages
	Traced   = "trace"     // given times
)

type process struct {
	name string
	make func(Spec) (Pace, error)
}

// processes is the one place where a process is registered.
var processes = []process{
	{Closed, newClosed},
	{Burst, newBurst},
	{Constant, newConstant},
	{Poisson, newPoisson},
	{Gamma, newGamma},
	{Ramping, newRamp},
	{RampTime, newRampTime},
	{Staged, newStages},
	{Traced, newTrace},
}

// Spec is all that an arrival process may need to know. Each reads its own part.
type Spec struct {
	Name       string  // one of the names above; empty: by the rest, see Choose
	N          int     // requests to come; 0 where nobody knows, then nothing is rescaled
	Rate       float64 // requests per second
	Burstiness float64 // shape of the gamma gaps; +Inf is even, 1 is Poisson

	Seed uint64
	// Random replaces Seed where a dataset has drawn from NumPy's global
	// generator before (workload.NumPyState). It is copied, not used up.
	Random *numpy.RandomState

	RampStrategy       string // linear or exponential, for Ramping
	RampStart, RampEnd float64
	RampOver           time.Duration // for RampTime

	Stages []Stage
	Trace  []float64 // seconds from the start

	Concurrent bool          // a bound on concurrency is set: with an infinite rate a closed loop
	Duration   time.Duration // bound in time; 0 is none
}

// Names lists the processes in the order of the table.
func Names() []string {
	names := make([]string, len(processes))
	for i, p := range processes {
		names[i] = p.name
	}
	return names
}

// New makes the pace of s, bounded by its N and Duration.
func New(s Spec) (Pace, error) {
	if s.Name == "" {
		s.Name = s.Choose()
	}
	i := slices.IndexFunc(processes, func(p process) bool { return p.name == s.Name })
	if i < 0 {
		return nil, fmt.Errorf("pace %q is unknown: use one of %s", s.Name, strings.Join(Names(), ", "))
	}
	p, err := processes[i].make(s)
	if err != nil {
		return nil, fmt.Errorf("pace %s: %w", s.Name, err)
	}
	return Bound(p, s.Duration, s.N), nil
}

// Choose names the process that the other fields ask for, as the flags of
// `vllm bench serve` do.
func (s Spec) Choose() string {
	switch {
	case len(s.Trace) > 0:
		return Traced
	case len(s.Stages) > 0:
		return Staged
	case s.RampOver > 0:
		return RampTime
	case s.RampStrategy != "":
		return Ramping
	case math.IsInf(s.Rate, 1) && s.Concurrent:
		return Closed
	case math.IsInf(s.Rate, 1):
		return Burst
	case s.even():
		return Constant
	case s.Burstiness == 1:
		return Poisson
	default:
		return Gamma
	}
}

func (s Spec) even() bool { return math.IsInf(s.Burstiness, 1) }

// random gives a generator at the start of the gaps, each time the same.
func (s Spec) random() *numpy.RandomState {
	if s.Random != nil {
		return s.Random.Clone()
	}
	return numpy.NewRandomState(s.Seed)
}

func (s Spec) checkRate() error {
	if !(s.Rate > 0) || math.IsInf(s.Rate, 1) {
		return fmt.Errorf("a request rate of %v: it must be above 0 and finite", s.Rate)
	}
	return nil
}

func (s Spec) checkBurstiness() error {
	if !(s.Burstiness > 0) {
		return fmt.Errorf("a burstiness of %v: it must be above 0", s.Burstiness)
	}
	return nil
}
