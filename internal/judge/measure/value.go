package measure

import (
	"math"
	"strconv"
	"strings"
)

// Value is a number of the result by the name that an SLO gives it: p99_ttft,
// median_itl, request_throughput, failed_share. Latencies are those of the block that
// is printed; false: this result does not have it.
func (r *Result) Value(name string) (float64, bool) {
	switch name {
	case "failed_share":
		return float64(r.Failed) / float64(max(r.Requests, 1)), r.Requests > 0
	case "completed_share":
		return float64(r.Completed) / float64(max(r.Requests, 1)), r.Requests > 0
	case "request_goodput", "output_token_goodput":
		if r.Goodput == nil {
			return 0, false
		}
	}
	for _, n := range Numbers() {
		if n.Name == name {
			v := n.Of(r)
			return v, !math.IsNaN(v) && (r.Requests > 0)
		}
	}
	statistic, metric, _ := strings.Cut(name, "_")
	for i := range r.Metrics {
		if m := &r.Metrics[i]; m.Metric.Name == metric && m.Stats.N > 0 {
			return m.Stats.value(statistic)
		}
	}
	return 0, false
}

func (s *Stats) value(statistic string) (float64, bool) {
	switch statistic {
	case "mean":
		return s.Mean, true
	case "median", "p50":
		return s.Median, true
	case "std":
		return s.Std, true
	}
	want, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	for _, p := range s.Percentiles {
		if err == nil && p.P == want {
			return p.Value, true
		}
	}
	return 0, false
}
