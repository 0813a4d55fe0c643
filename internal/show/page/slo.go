package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Keeps says whether a run keeps an SLO; what could not be measured is not kept.
func Keeps(s slo.SLO, r *measure.Result) bool {
	j := s.Judge(func(metric string) (float64, bool) { return valueOf(r, metric) })
	return r.Completed > 0 && j.Status == slo.Met
}

// valueOf is a run's value by the name that an SLO gives it: the one of the printed
// block, and of what was not asked for there, the one of our own table.
func valueOf(r *measure.Result, metric string) (float64, bool) {
	if v, ok := r.Value(metric); ok {
		return v, true
	}
	statistic, name, _ := strings.Cut(metric, "_")
	v := latency(r, statistic, name)
	return v, !math.IsNaN(v)
}

// latency is a statistic of a metric, by name; NaN where the run has none.
func latency(r *measure.Result, statistic, metric string) float64 {
	s := summaryOf(r, metric)
	v, known := map[string]float64{
		"mean": s.Mean, "median": s.P50, "p50": s.P50, "p90": s.P90, "p99": s.P99, "p99.9": s.P999, "max": s.Max,
	}[statistic]
	if s.Count == 0 || !known {
		return math.NaN()
	}
	return v
}

// tabled is a latency for a table; NaN also where the run has too few values for a
// percentile. (An SLO is held against the run's own values all the same: of fewer
// than a hundred none may exceed the limit of a p99.)
func tabled(r *measure.Result, statistic, metric string) float64 {
	p, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	if err == nil && int64(summaryOf(r, metric).Count) < verdict.Needs(p) {
		return math.NaN()
	}
	return latency(r, statistic, metric)
}

func summaryOf(r *measure.Result, metric string) *measure.Summary {
	switch metric {
	case "ttft":
		return &r.Latency.Sent.TTFT
	case "itl":
		return &r.InterChunk
	case "tpot":
		return &r.TPOT
	case "e2el":
		return &r.Latency.Sent.E2EL
	}
	return &measure.Summary{}
}

func metricWord(name string) string {
	for _, m := range measure.Metrics() {
		if m.Name == name {
			return m.Short
		}
	}
	return name
}
