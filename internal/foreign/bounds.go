package foreign

import (
	"math"
	"strings"
)

// oursBounds are those of our results: between which the numbers of a run lie in any case, where its times are not all known exactly.
type oursBounds struct {
	Known   bool   `json:"known"`
	Stamps  string `json:"stamps"`
	Metrics map[string]struct {
		Bounds map[string][]float64 `json:"bounds"` // of mean_ms, p99_ms and so on
	} `json:"metrics"`
	Rates map[string][]float64 `json:"rates"`
}

func (b *oursBounds) into(r *Run) {
	if !b.Known {
		return
	}
	for name, m := range b.Metrics {
		if b.Stamps != "kernel" { // times that the client took itself bound no latency
			break
		}
		for statistic, ends := range m.Bounds {
			statistic = strings.TrimSuffix(statistic, "_ms")
			r.within(statistic+"_"+name+"_ms", ends)
			if statistic == "p50" {
				r.within("median_"+name+"_ms", ends)
			}
		}
	}
	for name, ends := range b.Rates {
		r.within(name, ends)
	}
}

// within keeps the bounds of a value that the run has, if they can be some.
func (r *Run) within(metric string, ends []float64) {
	v, has := r.Values[metric]
	if !has || len(ends) != 2 || len(r.Bounds) >= maxMetrics {
		return
	}
	// Both were written by one program: more than a rounding apart, and they are not of this value.
	low, high := min(ends[0], v), max(ends[1], v)
	if !(ends[0] >= 0 && ends[0] <= ends[1] && high < math.Inf(1)) || ends[0] > v*(1+1e-6) || ends[1] < v*(1-1e-6) {
		return
	}
	if r.Bounds == nil {
		r.Bounds = map[string]Bounds{}
	}
	r.Bounds[metric] = Bounds{low, high}
}
