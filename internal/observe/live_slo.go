package observe

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/live"
)

// soFar holds an SLO against what is counted so far. What only the journal knows, such as
// a TPOT, is not known before the end.
func soFar(objective slo.SLO, s *live.State, m *live.Meter) []live.Clause {
	if len(objective) == 0 {
		return nil
	}
	list := make([]live.Clause, len(objective))
	judged := objective.Judge(func(name string) (float64, bool) { return valueSoFar(name, s, m) })
	for i, c := range judged.Checks {
		list[i].Text = c.Clause.String()
		if c.Status == slo.Unknown {
			continue
		}
		value, holds := c.Value, c.Status == slo.Met
		list[i].Value = &value
		if n, _ := c.Clause.Name(); !n.Metric.IsLatency() || math.Abs(value-c.Clause.Limit) > live.Error*value {
			list[i].Holds = &holds // closer to the limit only the journal knows
		}
	}
	return list
}

// valueSoFar is a number of the run up to now, by its name.
func valueSoFar(name string, s *live.State, m *live.Meter) (float64, bool) {
	n, share, ok := metric.ParseValue(name)
	ended := float64(s.Completed + s.Failed + s.HungUp)
	if !ok || ended == 0 || s.At <= 0 {
		return 0, false
	}
	if n.Metric.IsLatency() {
		if n.Statistic == metric.Mean {
			return m.MeanSoFar(n.Metric.Name)
		}
		p, ok := n.Statistic.Percentile()
		if !ok {
			return 0, false
		}
		return m.PercentileSoFar(n.Metric.Name, p)
	}
	value := 0.0
	switch n.Metric.Name {
	case "failed":
		value = float64(s.Failed)
	case "completed":
		value = float64(s.Completed)
	case "request_throughput":
		value = float64(s.Completed) / s.At
	case "output_throughput":
		value = float64(s.Tokens) / s.At
	default:
		return 0, false
	}
	if share {
		value /= ended
	}
	return value, true
}
