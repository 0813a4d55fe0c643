package compare

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/stats"
)

// estimate is one side's value of a metric and how well it is known. Errors are on
// the logarithm's scale: changes are ratios.
type estimate struct {
	known bool
	value float64
	runs  int // that it rests on

	bounded      bool    // the rest is known
	below, above float64 // standard errors towards smaller and larger values
	degrees      float64 // of freedom with which they are known; infinite: exactly
	mixed        mixture // of errors with what drifts between runs; nil: they are Student's, with degrees

	under, over float64 // what the truth may lie below and above the value for other reasons than chance
	exact       bool    // nothing drifts: it is a share of questions
	why         string  // why a run of ours does not tell its error
}

// estimates are those of all sides.
func estimates(sides []Side, m Metric, level float64) []estimate {
	of := make([]repeated, len(sides))
	for i := range sides {
		of[i] = repeatsOf(&sides[i], m, level)
	}
	spread := spreadOf(of)
	out := make([]estimate, len(sides))
	for i := range of {
		out[i] = of[i].estimate(&spread)
	}
	return out
}

// repeated is what the runs of one side have of a metric.
type repeated struct {
	runs         []estimate // each with its own error
	logs         stats.Moments
	squares      float64 // of the repeats' distances from their mean
	below, above float64 // mean variances of the runs' own errors
}

// repeatsOf gathers them.
func repeatsOf(s *Side, m Metric, level float64) repeated {
	var out repeated
	n, ok := metric.ParseName(m.Key)
	exact := ok && n.Metric.OfQuestions
	for i := range s.Runs {
		v, has := s.Runs[i].Values[m.Key]
		if !has {
			continue
		}
		e := estimate{known: true, value: v, runs: 1, exact: exact}
		e.own(&s.Runs[i], m.Key, level)
		e.systematic(&s.Runs[i], m.Key)
		out.runs = append(out.runs, e)
	}
	for i := range out.runs {
		e := &out.runs[i]
		if e.value > 0 {
			out.logs.Add(math.Log(e.value))
		}
		out.below += e.below * e.below / float64(len(out.runs))
		out.above += e.above * e.above / float64(len(out.runs))
	}
	out.squares = out.roundedSquares()
	return out
}

// positive says whether all values have a logarithm.
func (r *repeated) positive() bool { return r.logs.N == len(r.runs) }

// bounded says whether each run tells its own error.
func (r *repeated) bounded() bool {
	for i := range r.runs {
		if !r.runs[i].bounded {
			return false
		}
	}
	return true
}

// estimate joins the runs of a side. The mean over repeats is geometric.
func (r *repeated) estimate(s *spread) estimate {
	switch {
	case len(r.runs) == 0:
		return estimate{}
	case r.runs[0].exact:
		return r.overQuestions()
	}
	e := estimate{known: true, value: r.runs[0].value, runs: len(r.runs)}
	for i := range r.runs { // what is off in one way in all runs does not average out
		e.under += r.runs[i].under / float64(len(r.runs))
		e.over += r.runs[i].over / float64(len(r.runs))
		if e.why == "" {
			e.why = r.runs[i].why
		}
	}
	if !r.positive() {
		e.value = r.mean()
		return e
	}
	if len(r.runs) > 1 {
		e.value = math.Exp(r.logs.Mean)
	}
	s.errors(r, &e)
	return e
}

func (r *repeated) mean() float64 {
	sum := 0.0
	for i := range r.runs {
		sum += r.runs[i].value
	}
	return sum / float64(len(r.runs))
}

// overQuestions is the mean of runs that ask the same questions. How much such runs differ
// says nothing of other questions, so that the error is that of one run, however many there are.
func (r *repeated) overQuestions() estimate {
	e := estimate{known: true, bounded: r.bounded(), degrees: math.Inf(1), exact: true, runs: len(r.runs), value: r.mean()}
	for i := range r.runs {
		e.below, e.above = max(e.below, r.runs[i].below), max(e.above, r.runs[i].above)
	}
	return e
}

// roundedSquares is the sum of the repeats' squared distances from their mean. Repeats that were printed with few digits
// may agree to the last one and still differ.
func (r *repeated) roundedSquares() float64 {
	if r.logs.N < 2 {
		return 0
	}
	values := make([]float64, len(r.runs))
	for i := range r.runs {
		values[i] = r.runs[i].value
	}
	rounded := lastDigit(1, values...) / math.Sqrt(12) / math.Exp(r.logs.Mean)
	return r.logs.Squares + rounded*rounded*r.logs.Degrees()
}

// lastDigit is the largest unit, up to most and a power of ten, of which all values are
// multiples: to what they were rounded. Zero if to less than a thousandth.
func lastDigit(most float64, values ...float64) float64 {
	for unit := most; unit > 0.9e-3; unit /= 10 {
		multiple := true
		for _, v := range values {
			steps := v / unit
			multiple = multiple && math.Abs(steps-math.Round(steps)) < 1e-7
		}
		if multiple {
			return unit
		}
	}
	return 0
}
