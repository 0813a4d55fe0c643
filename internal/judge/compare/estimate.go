package compare

import (
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/stats"
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
}

// estimates are those of all sides. Runs of one server differ by more than chance
// within a run, and only repeats show by how much: a side of one run beside sides with
// repeats gets the spread of those.
func estimates(sides []Side, m Metric, level float64) []estimate {
	out := make([]estimate, len(sides))
	var between pooled
	for i := range sides {
		var logs stats.Moments
		out[i], logs = estimateOf(&sides[i], m, level)
		if logs.N > 1 {
			between.add(&logs)
		}
	}
	for i := range out {
		if out[i].runs == 1 && between.degrees > 0 {
			out[i].widen(&between)
		}
	}
	return out
}

// pooled is the variance of single runs, over all sides that have several.
type pooled struct{ squares, degrees float64 }

func (p *pooled) add(m *stats.Moments) {
	p.squares += m.Squares
	p.degrees += m.Degrees()
}

// widen gives a single run the error of a run among repeats, where that is larger than its own.
func (e *estimate) widen(p *pooled) {
	spread := math.Sqrt(p.squares / p.degrees)
	if e.value <= 0 || e.bounded && max(e.below, e.above) >= spread {
		return
	}
	e.bounded, e.degrees = true, p.degrees
	e.below, e.above = max(e.below, spread), max(e.above, spread)
}

// estimateOf joins the runs of a side, and returns their logarithms where there are
// several. The mean over repeats is geometric, and its error comes from how much they
// differ; one run's is its own.
func estimateOf(s *Side, m Metric, level float64) (estimate, stats.Moments) {
	var values []float64
	var last *foreign.Run
	for i := range s.Runs {
		if v, ok := s.Runs[i].Values[m.Key]; ok {
			values, last = append(values, v), &s.Runs[i]
		}
	}
	switch len(values) {
	case 0:
		return estimate{}, stats.Moments{}
	case 1:
		e := estimate{known: true, value: values[0], runs: 1}
		e.own(last, m.Key, level)
		return e, stats.Moments{}
	}
	if n, ok := metric.ParseName(m.Key); ok && n.Metric.OfQuestions {
		return overQuestions(s, m.Key, level), stats.Moments{}
	}
	return overRuns(values)
}

// overQuestions is the mean of runs that ask the same questions. How much such runs differ
// says nothing of other questions, so that the error is that of one run, however many there are.
func overQuestions(s *Side, key string, level float64) estimate {
	e := estimate{known: true, bounded: true, degrees: math.Inf(1)}
	for i := range s.Runs {
		v, ok := s.Runs[i].Values[key]
		if !ok {
			continue
		}
		one := estimate{known: true, value: v}
		one.own(&s.Runs[i], key, level)
		e.value, e.runs, e.bounded = e.value+v, e.runs+1, e.bounded && one.bounded
		e.below, e.above = max(e.below, one.below), max(e.above, one.above)
	}
	e.value /= float64(e.runs)
	return e
}

// overRuns is the mean logarithm of repeats, and its error with n−1 degrees of freedom.
func overRuns(values []float64) (estimate, stats.Moments) {
	e := estimate{known: true, runs: len(values)}
	var m stats.Moments
	for _, v := range values {
		if v <= 0 { // has no logarithm
			e.value = stats.Mean(values)
			return e, stats.Moments{}
		}
		m.Add(math.Log(v))
	}
	e.value, e.degrees, e.bounded = math.Exp(m.Mean), m.Degrees(), true
	// Repeats that were printed with few digits may agree to the last one and still differ.
	rounded := lastDigit(1, values...) / math.Sqrt(12) / e.value
	m.Squares += rounded * rounded * m.Degrees()
	e.below, e.above = m.StdError(), m.StdError()
	return e, m
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

// own sets a run's own error: that of the interval which its file gives, of the
// deviation or standard error beside the value, or of the values behind the metric.
func (e *estimate) own(r *foreign.Run, key string, level float64) {
	if i, has := r.Intervals[key]; has && i.Level == level {
		e.fromInterval(i.Low, i.High, i.Degrees, level)
		return
	}
	if err, has := r.Values["stderr_"+key]; has {
		e.fromError(err, math.Inf(1))
		return
	}
	if dev, has := r.Values["std_"+key]; has && strings.HasSuffix(key, "_tps") {
		n := repetitions(r, key)
		dev = max(dev, lastDigit(0.01, e.value)/2) // 39.33 ± 0.00 is no exact number
		e.fromError(dev/math.Sqrt(n), n-1)
		return
	}
	statistic, latency, ok := metric.SplitKey(key)
	if !ok {
		return
	}
	if series := r.Samples[latency]; latency == "batch" && statistic == "mean" && len(series) > 1 { // one after the other, each by itself
		var m stats.Moments
		for _, v := range series {
			m.Add(v * 1000)
		}
		e.fromError(m.StdError(), m.Degrees())
		return
	}
	chain, ok := chainOf(r, latency)
	if !ok {
		return
	}
	var low, high, degrees float64
	if statistic == "mean" {
		low, high, degrees, ok = chain.Mean(level)
	} else if p, is := metric.Statistic(statistic).Percentile(); is && p > 0 && p < 100 {
		low, high, degrees, ok = chain.Quantile(p/100, level)
	} else {
		return
	}
	if ok {
		e.fromInterval(low*1000, high*1000, degrees, level)
	}
}

// chainOf is the values behind a metric in the order of time. Gaps between tokens need
// the moments at which they ended: those of all streams wait for the same step of the
// engine, and laid end to end, stream by stream, they would look independent.
func chainOf(r *foreign.Run, metric string) (stats.Chain, bool) {
	series := r.Samples[metric]
	switch ends := r.Samples[metric+foreign.EndsOf]; {
	case len(series) == 0:
		return stats.Chain{}, false
	case len(ends) == len(series):
		return stats.InTime(series, ends), true
	case metric == "itl":
		return stats.Chain{}, false
	}
	return stats.InSequence(series), true
}

// fromInterval sets the errors by the ends of an interval.
func (e *estimate) fromInterval(low, high, degrees, level float64) {
	if !(low > 0 && low <= e.value && e.value <= high && high < math.Inf(1)) { // also where one is no number
		return
	}
	if degrees <= 0 {
		degrees = math.Inf(1)
	}
	t := stats.StudentQuantile((1+level)/2, degrees)
	e.bounded, e.degrees = true, degrees
	e.below, e.above = math.Log(e.value/low)/t, math.Log(high/e.value)/t
}

// fromError sets the errors by the standard error of the value.
func (e *estimate) fromError(err, degrees float64) {
	if !(e.value > 0 && err >= 0 && err < e.value) {
		return
	}
	e.bounded, e.degrees = true, degrees
	e.below, e.above = err/e.value, err/e.value
}

// repetitions are llama-bench's: five unless its file has them.
func repetitions(r *foreign.Run, key string) float64 {
	if n := len(r.Samples[key]); n >= 2 {
		return float64(n)
	}
	return 5
}
