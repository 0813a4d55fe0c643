package measure

import "github.com/inferometer/inferometer/internal/judge/metric"

// Line is a statistic whose bounds are so wide that a reader should know.
type Line struct {
	Metric    metric.Metric
	Statistic string // mean, p50, p90, p99, max
	Value     float64
	Ends
}

// boundedMetrics are those that a table of bounds shows, in its order.
var boundedMetrics = []string{"ttft", "itl", "inter_token", "tpot", "e2el"}

// WideBounds are the statistics with wide bounds. Of times that are the client's own
// there are none: nothing bounds how late each is but the one before, and tables of
// that would be all that a reader sees.
func (r *Result) WideBounds() []Line {
	if r.Bounds == nil || !r.Bounds.Known || r.Bounds.Stamps != "kernel" {
		return nil
	}
	var out []Line
	for _, name := range boundedMetrics {
		s := r.Summary(name)
		if name == "inter_token" {
			s = r.InterToken.Summary
		}
		if s == nil || s.Count == 0 {
			continue
		}
		for _, p := range []struct {
			name  string
			value float64
		}{{"mean", s.Mean}, {"p50", s.P50}, {"p90", s.P90}, {"p99", s.P99}, {"max", s.Max}} {
			if ends, ok := r.Bounds.Of(name, p.name); ok && ends.Wide(p.value) {
				out = append(out, Line{*metric.Lookup(name), p.name, p.value, ends})
			}
		}
	}
	return out
}

// Share is how many of the events are known within bounds only.
func (b *Bounds) Share() float64 { return ratio(b.Within, b.Events) }

// BoundsOf are those of a number by the name that a condition gives it, such as p99_ttft. ok is
// false where it has none, and where times are the client's own.
func (r *Result) BoundsOf(name string) (low, high float64, ok bool) {
	n, _, known := metric.ParseValue(name)
	if !known || r.Bounds == nil || r.Bounds.Stamps != "kernel" || !n.Metric.IsLatency() {
		return 0, 0, false
	}
	ends, ok := r.Bounds.Of(n.Metric.Name, string(n.Statistic))
	return ends[0], ends[1], ok
}
