package section

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Keeps says whether a run keeps an SLO; what could not be measured is not kept.
func Keeps(s slo.SLO, r *measure.Result) bool {
	j := s.Judge(func(metric string) (float64, bool) { return valueOf(r, metric) }).Within(r.BoundsOf)
	return r.Completed > 0 && j.Status() == slo.Met
}

// valueOf is a run's value by the name that an SLO gives it: the one of the printed
// block, and of what was not asked for there, the one of our own table.
func valueOf(r *measure.Result, name string) (float64, bool) {
	if v, ok := r.Value(name); ok {
		return v, true
	}
	n, ok := metric.ParseName(name)
	if !ok || n.Statistic == "" {
		return 0, false
	}
	v := Latency(r, string(n.Statistic), n.Metric.Name)
	return v, !math.IsNaN(v)
}

// latency is a statistic of a metric, by name; NaN where the run has none.
func Latency(r *measure.Result, statistic, name string) float64 {
	s := r.Summary(name)
	if s == nil || s.Count == 0 {
		return math.NaN()
	}
	v, known := map[string]float64{
		"mean": s.Mean, "median": s.P50, "p50": s.P50, "p90": s.P90, "p99": s.P99, "p99.9": s.P999, "max": s.Max,
	}[statistic]
	if !known {
		return math.NaN()
	}
	return v
}

// tabled is a latency for a table; NaN also where the run has too few values for a
// percentile. (An SLO is held against the run's own values all the same: of fewer
// than a hundred none may exceed the limit of a p99.)
func Tabled(r *measure.Result, statistic, name string) float64 {
	p, ok := metric.Statistic(statistic).Percentile()
	if s := r.Summary(name); ok && s != nil && int64(s.Count) < verdict.Needs(p) {
		return math.NaN()
	}
	return Latency(r, statistic, name)
}

func MetricWord(name string) string {
	if m := metric.Lookup(name); m != nil {
		return m.Short
	}
	return name
}

// numberOf is a number of a run for a table; NaN where it has none.
func NumberOf(r *measure.Result, n metric.Name) float64 {
	if n.Statistic != "" {
		return Tabled(r, string(n.Statistic), n.Metric.Name)
	}
	if v, ok := r.Number(n.Metric); ok {
		return v
	}
	return math.NaN()
}
