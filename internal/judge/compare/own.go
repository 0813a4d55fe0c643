package compare

import (
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// own sets a run's own error: that of the interval which its file gives, of the
// deviation or standard error beside the value, or of the values behind the metric.
func (e *estimate) own(r *result.Result, key string, level float64) {
	if i, has := r.Intervals[key]; has && i.Level == level {
		e.fromInterval(i.Low, i.High, i.Degrees, level)
		return
	}
	if err, has := r.Values["stderr_"+key]; has { // of a score: the questions are the same in each run
		e.exact = true
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

// systematic sets by how much the value may be off for reasons that its file tells: events that share a read, a client that was
// held up. And it says why the error is not known, where the run is ours.
func (e *estimate) systematic(r *result.Result, key string) {
	if b, has := r.Bounds[key]; has && e.value > 0 && b.Low <= e.value && e.value <= b.High {
		e.under, e.over = math.Log(e.value/max(b.Low, 0)), math.Log(b.High/e.value)
	}
	if e.bounded || r.Tool != result.Inferometer {
		return
	}
	if e.why = r.Lacking[key]; e.why == "" {
		e.why = "repeat each side"
	}
}

// chainOf is the values behind a metric in the order of time. Gaps between tokens need
// the moments at which they ended: those of all streams wait for the same step of the
// engine, and laid end to end, stream by stream, they would look independent.
func chainOf(r *result.Result, metric string) (stats.Chain, bool) {
	series := r.Samples[metric]
	switch ends := r.Samples[metric+result.EndsOf]; {
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
func repetitions(r *result.Result, key string) float64 {
	if n := len(r.Samples[key]); n >= 2 {
		return float64(n)
	}
	return 5
}
