package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/results"
	"github.com/inferometer/inferometer/internal/stats"
)

// estimate is one side's value of a metric and how well it is known. Everything is
// on the logarithm's scale: changes are ratios.
type estimate struct {
	known bool
	value float64
	runs  int // that it rests on

	bounded   bool    // low and high are known
	low, high float64 // of the value
	degrees   float64 // of freedom of the interval; 0: as good as normal
}

// estimateOf joins the runs of a side. The mean over repeats is geometric, and its
// interval comes from how much they differ; one run's is its own.
func estimateOf(s *Side, m Metric, level float64) estimate {
	var values []float64
	var of []*results.Run
	for i := range s.Runs {
		if v, ok := s.Runs[i].Values[m.Key]; ok {
			values, of = append(values, v), append(of, &s.Runs[i])
		}
	}
	switch {
	case len(values) == 0:
		return estimate{}
	case len(values) == 1:
		e := estimate{known: true, value: values[0], runs: 1}
		e.low, e.high, e.bounded = interval(of[0], m.Key, level)
		return e
	}
	return overRuns(values, level)
}

// overRuns is Student's interval of the mean logarithm.
func overRuns(values []float64, level float64) estimate {
	e := estimate{known: true, runs: len(values)}
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		if v <= 0 { // has no logarithm
			e.value = average(values)
			return e
		}
		mean += math.Log(v) / n
	}
	for _, v := range values {
		d := math.Log(v) - mean
		square += d * d
	}
	e.value, e.degrees, e.bounded = math.Exp(mean), n-1, true
	half := stats.StudentQuantile((1+level)/2, n-1) * math.Sqrt(square/(n-1)/n)
	e.low, e.high = math.Exp(mean-half), math.Exp(mean+half)
	return e
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// interval is a run's own interval of a metric: the one that its file gives, or one
// made of the values behind the metric.
func interval(r *results.Run, key string, level float64) (low, high float64, ok bool) {
	if i, has := r.Intervals[key]; has && i.Level == level {
		return i.Low, i.High, true
	}
	if dev, has := r.Values["std_"+key]; has && strings.HasSuffix(key, "_tps") {
		return shapeInterval(r, key, dev, level)
	}
	l := latencyKey.FindStringSubmatch(key)
	if l == nil {
		return 0, 0, false
	}
	series := r.Samples[l[2]]
	if len(series) < 8 {
		return 0, 0, false
	}
	if l[1] == "mean" {
		mean, half, _, _ := stats.BatchMeans(series, level)
		return (mean - half) * 1000, (mean + half) * 1000, mean > half
	}
	share, ok := percentile(l[1])
	if !ok {
		return 0, 0, false
	}
	return quantileInterval(series, share, level)
}

// quantileInterval is by order statistics, with fewer values where they depend on each other.
func quantileInterval(series []float64, share, level float64) (low, high float64, ok bool) {
	sorted := slices.Sorted(slices.Values(series))
	at := sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
	below := make([]float64, len(series))
	for i, v := range series {
		if v <= at {
			below[i] = 1
		}
	}
	l, h := stats.Ranks(len(series), float64(len(series))/max(stats.DependenceOf(below).Time, 1), share, level)
	if l < 0 || h >= len(sorted) {
		return 0, 0, false
	}
	return sorted[l] * 1000, sorted[h] * 1000, true
}

// shapeInterval is Student's, by llama-bench's own repetitions: five unless told.
func shapeInterval(r *results.Run, key string, dev, level float64) (low, high float64, ok bool) {
	n := float64(len(r.Samples[key]))
	if n < 2 {
		n = 5
	}
	half := stats.StudentQuantile((1+level)/2, n-1) * dev / math.Sqrt(n)
	v := r.Values[key]
	return v - half, v + half, v > half
}

// percentile reads median, p99 and p99.9 as a share.
func percentile(word string) (float64, bool) {
	if word == "median" {
		return 0.5, true
	}
	p, err := parsePercent(word)
	return p / 100, err == nil
}
