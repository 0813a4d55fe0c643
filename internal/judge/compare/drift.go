package compare

import (
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// Runs of one server differ by more than chance within a run: by what drifts between them. The model, on logarithms,
//
//	value of a run = its side's mean + drift + own error
//
// has the run's own error from its file. How large the drift τ is (a standard deviation, the same on all sides)
// nobody knows before there are repeats, and two or three repeats hardly tell. So there is a prior on it, Student's
// distribution cut in half, and repeats say which sizes are likely.
const (
	priorDrift   = 0.015 // the prior's scale: more than one run in two drifts by less
	priorDegrees = 3     // … and its degrees of freedom: large drifts are rare, and not impossible

	// A run's own error may be too large: that of a rate in a closed loop is. Repeats can show it.
	narrower      = 0.25 // the factor
	narrowerPrior = 0.25 // how likely that is before there are repeats

	// The sizes of drift that are looked at, spaced evenly as logarithms.
	leastDrift, mostDrift = 0.0005, 0.5
	driftSizes            = 40
)

// spread is by how much runs of one server differ, for one metric, over all sides.
type spread struct {
	own   bool    // each run tells its own error, so that the model holds
	sizes []sized // what the spread may be

	squares, degrees float64 // of the repeats of all sides
}

// sized is one size of the drift, with how likely it is.
type sized struct {
	weight float64
	drift  float64 // variance
	own    float64 // by which the variances of the runs' own errors are to be multiplied
}

// spreadOf looks at all runs of a metric.
func spreadOf(of []repeated) spread {
	s := spread{own: true}
	degrees := 0.0
	for i := range of {
		r := &of[i]
		if len(r.runs) == 0 || !r.positive() {
			continue
		}
		s.own = s.own && r.bounded()
		s.squares += r.squares
		s.degrees += max(r.logs.Degrees(), 0)
		for k := range r.runs {
			degrees += r.runs[k].degrees
		}
	}
	if s.own && degrees > 0 {
		// The own errors are known with some degrees of freedom themselves.
		wider := stats.StudentQuantile(0.975, degrees) / stats.NormalQuantile(0.975)
		s.weigh(of, wider*wider, math.Log(1-narrowerPrior))
		if s.degrees > 0 {
			s.weigh(of, wider*wider*narrower*narrower, math.Log(narrowerPrior))
		}
		s.normalise()
	}
	return s
}

// weigh adds all sizes of drift: each with the logarithm of its prior times the likelihood of how much repeats differ.
func (s *spread) weigh(of []repeated, own, log float64) {
	for k := range driftSizes {
		drift := leastDrift * math.Pow(mostDrift/leastDrift, float64(k)/(driftSizes-1))
		ratio := drift / priorDrift
		weight := log + math.Log(drift) - (priorDegrees+1)/2.0*math.Log1p(ratio*ratio/priorDegrees)
		for i := range of {
			if r := &of[i]; len(r.runs) > 1 && r.positive() {
				v := drift*drift + own*(r.below+r.above)/2
				weight -= r.logs.Degrees()/2*math.Log(v) + r.squares/(2*v)
			}
		}
		s.sizes = append(s.sizes, sized{weight, drift * drift, own})
	}
}

// normalise turns logarithms into shares of one.
func (s *spread) normalise() {
	top, sum := math.Inf(-1), 0.0
	for i := range s.sizes {
		top = max(top, s.sizes[i].weight)
	}
	for i := range s.sizes {
		s.sizes[i].weight = math.Exp(s.sizes[i].weight - top)
		sum += s.sizes[i].weight
	}
	for i := range s.sizes {
		s.sizes[i].weight /= sum
	}
}

// errors sets those of a side. Where files do not tell the runs' own errors, there is only how much repeats differ:
// Student's error over the side's own, or for a single run at least the spread of the others' repeats.
func (s *spread) errors(r *repeated, e *estimate) {
	n := float64(len(r.runs))
	switch {
	case s.own:
		e.bounded = true
		for _, z := range s.sizes {
			below, above := math.Sqrt((z.drift+z.own*r.below)/n), math.Sqrt((z.drift+z.own*r.above)/n)
			e.mixed = append(e.mixed, part{z.weight, below, above})
		}
		e.below, e.above = e.mixed.means()
	case len(r.runs) > 1:
		e.bounded, e.degrees = true, r.logs.Degrees()
		e.below = math.Sqrt(r.squares / r.logs.Degrees() / n)
		e.above = e.below
	case s.degrees > 0:
		one, others := &r.runs[0], math.Sqrt(s.squares/s.degrees)
		e.bounded, e.degrees = true, s.degrees
		e.below, e.above = max(one.below, others), max(one.above, others)
	}
}
