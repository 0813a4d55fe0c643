package sample

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// Level is the probability of all intervals.
const Level = 0.95

// Interval is a number that was measured and the range in which the system's own
// lies with the probability Level. An end that can't be had is nil, and Reason
// says why.
type Interval struct {
	Estimate  float64  `json:"estimate"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	N         int      `json:"n"`
	Effective float64  `json:"effective_n"` // independent values that the n are worth; of a rate, batches
	Method    string   `json:"method"`
	Reason    string   `json:"reason,omitempty"`

	Needed float64 // values like these that would give it both ends; 0: not known
}

// The methods, as docs/confidence.md explains them.
const (
	ByOrderStatistics = "order statistics"
	ByLongRunVariance = "long-run variance"
	ByBatchMeans      = "batch means"
	ByWilson          = "Wilson"
)

// minValues is the least for an interval of a mean or of a rate.
const minValues = 10

// HalfWidth is half of the interval's width as a share of the estimate; infinite
// where an end is missing.
func (i *Interval) HalfWidth() float64 {
	if i.Low == nil || i.High == nil || i.Estimate <= 0 {
		return math.Inf(1)
	}
	return (*i.High - *i.Low) / 2 / i.Estimate
}

// Degrees of freedom with which the interval's width is known, 0: as good as exactly. Those of a rate are its batches'; of
// latencies, those of a variance over up to 128 groups that resemble their neighbours a little (docs/confidence.md: groups by 1 + 2τ).
func (i *Interval) Degrees() float64 {
	switch i.Method {
	case ByBatchMeans:
		return max(i.Effective-1, 1)
	case ByWilson: // of a share: it rests on no estimated variance
		return 0
	}
	return max(min(i.Effective, 128)/3, 1)
}

func (i *Interval) ends(low, high float64) { i.Low, i.High = &low, &high }

// percentileInterval is the interval of a percentile, in milliseconds, by order
// statistics: the number of values below it is binomial, with as many trials as
// the values are worth. That number is known from the indicator of being below,
// with some degrees of freedom, for which it is made smaller still.
func PercentileInterval(s *Sample, c *stats.Chain, p, estimate float64) Interval {
	in := Interval{Estimate: estimate, N: s.N(), Effective: float64(s.N()), Method: ByOrderStatistics}
	switch {
	case in.N == 0:
		in.Reason = "no values"
		return in
	case p <= 0 || p >= 100:
		in.Reason = "an extreme has no interval: a longer run goes on to widen it"
		return in
	}
	threshold := estimate
	if level := visible(p, in.N); level != p {
		threshold = s.Stats([]float64{level}).Percentiles[0].Value
	}
	d := c.Dependence(func(v float64) float64 {
		if v*1000 <= threshold {
			return 1
		}
		return 0
	})
	if d.Time > 1 { // the ranks of independent values are exact as they are
		in.Effective = d.Effective(in.N, Level)
	}
	low, high := stats.Ranks(in.N, in.Effective, p/100, Level)
	if low >= 0 {
		v := min(s.at(low), estimate) // a histogram's step must not put it on the wrong side
		in.Low = &v
	}
	if high < in.N {
		v := max(s.at(high), estimate)
		in.High = &v
	}
	in.Reason = tooFew(&in, p)
	if in.Reason != "" {
		in.Needed = float64(stats.LeastForQuantile(p/100, Level))
		if d.Time > 1 {
			in.Needed = d.Needed(in.N, in.Needed, Level)
		}
	}
	return in
}

// clearTail is how many values must lie beyond a percentile for their order to
// show whether they come together.
const clearTail = 100

// visible is the percentile whose indicator stands for that of p: p itself, or
// where too few values lie beyond it, the one with enough of them.
func visible(p float64, n int) float64 {
	tail := min(100*clearTail/float64(n), 50)
	return min(max(p, tail), 100-tail)
}

// tooFew says why an end is missing, if one is.
func tooFew(in *Interval, p float64) string {
	var what string
	switch {
	case in.Low == nil && in.High == nil:
		what = "interval"
	case in.Low == nil:
		what = "lower end"
	case in.High == nil:
		what = "upper end"
	default:
		return ""
	}
	if in.Effective < float64(in.N) {
		return fmt.Sprintf("no %s: %d values, equivalent to %.0f independent ones, are too few for p%g", what, in.N, in.Effective, p)
	}
	return fmt.Sprintf("no %s: %d values are too few for p%g", what, in.N, p)
}

// meanInterval is the interval of a mean, in milliseconds:
// mean ± 1.96 · std / √effective, which is t · std · √(τ/n) with Student's t for
// the degrees of freedom of τ.
func MeanInterval(st *Stats, c *stats.Chain) Interval {
	in := Interval{Estimate: st.Mean, N: st.N, Effective: float64(st.N), Method: ByLongRunVariance}
	if st.N < minValues {
		in.Reason, in.Needed = fmt.Sprintf("%d values are fewer than the %d that it needs", st.N, minValues), minValues
		return in
	}
	d := c.Dependence(func(v float64) float64 { return v })
	in.Effective = d.Effective(in.N, Level)
	if in.Effective < 2 {
		in.Reason = fmt.Sprintf("too few independent waves: the %d values are correlated and count as one", st.N)
		in.Needed = d.Needed(in.N, minValues, Level)
		return in
	}
	half := stats.NormalQuantile((1+Level)/2) * st.Std / math.Sqrt(in.Effective)
	in.ends(max(st.Mean-half, 0), st.Mean+half)
	return in
}

// ask says how many requests would give the interval, where it has none: as many times more as values are lacking.
func (i *Interval) Ask(requests int) {
	if (i.Low == nil || i.High == nil) && i.Needed > float64(i.N) && i.N > 0 && requests > 0 {
		about := twoDigits(float64(requests) * i.Needed / float64(i.N))
		i.Reason += fmt.Sprintf("; send about %.0f requests", about)
	}
}

// twoDigits rounds up: nobody knows such a number better.
func twoDigits(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(max(v, 10)))-1)
	return math.Ceil(v/unit) * unit
}

// drained warns where the drain, as a share of the run, moves a rate by more than chance does.
func (i *Interval) Drained(share float64) {
	if i.Reason == "" && i.Low != nil && share/2 > i.HalfWidth() {
		i.Reason = fmt.Sprintf("the drain is %.0f %% of the run: a longer run has a higher rate than the interval allows for", share*100)
	}
}

// rateInterval is the interval of something counted in slots of time, a second.
func RateInterval(slots []float64, duration, estimate float64, n int) Interval {
	in := Interval{Estimate: estimate, N: n, Method: ByBatchMeans}
	if n < minValues || duration <= 0 {
		in.Reason, in.Needed = fmt.Sprintf("%d requests are fewer than the %d that it needs", n, minValues), minValues
		return in
	}
	_, half, batches, short := stats.BatchMeans(slots, Level)
	half *= float64(len(slots)) / duration
	in.Effective = float64(batches)
	in.ends(max(estimate-half, 0), estimate+half)
	if short {
		in.Reason = "the rate varies over times that are long against the run: the interval may be too narrow"
	}
	return in
}
