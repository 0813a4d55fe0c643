package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// bounds prints what is known of times that several events share, where that is much less
// than the figures above say: each end of a metric as a line of the same columns.
func (c *console) bounds(r *measure.Result) {
	lines := r.WideBounds()
	if len(lines) == 0 {
		return
	}
	c.row("Within bounds only:", fmt.Sprintf("%.1f %% of the events, which did not end their read; so the truth is", 100*r.Bounds.Share()))
	last := ""
	for _, l := range lines {
		name := l.Metric.Name
		if name == last || name == "inter_token" && maps.Equal(r.Bounds.Metrics[name].Bounds, r.Bounds.Metrics["itl"].Bounds) {
			continue
		}
		last = name
		m := r.Bounds.Metrics[name]
		for end, word := range []string{"from", "to"} { // "TTFT from" fits its column
			of := func(statistic string) float64 { return m.Bounds[statistic+"_ms"][end] }
			c.line(c.ms, l.Metric.Short+" "+word, millis(of("mean")), millis(of("p50")), p99(of("p99"), int64(m.Count)), millis(of("max")))
		}
	}
}

// setBounds adds them to the result. A journal of an older version has none.
func setBounds(o *object, r *measure.Result) {
	b := r.Bounds
	if b == nil || !r.Run.ReadEnds {
		return
	}
	metrics := object{}
	for _, name := range slices.Sorted(maps.Keys(b.Metrics)) {
		m := b.Metrics[name]
		ends := object{}
		for _, statistic := range slices.Sorted(maps.Keys(m.Bounds)) {
			ends.Set(statistic, []float64{m.Bounds[statistic][0], m.Bounds[statistic][1]})
		}
		metrics.Set(name, object{{"count", m.Count}, {"within_bounds", m.Within}, {"bounds", ends}})
	}
	all := object{{"known", b.Known}}
	if b.Reason != "" {
		all.Set("reason", b.Reason)
	}
	all.Set("stamps", b.Stamps)
	all.Set("events", b.Events)
	all.Set("within_bounds", b.Within)
	all.Set("stamp_error_ms", b.StampError)
	all.Set("metrics", metrics)
	if len(b.Rates) > 0 {
		rates := object{}
		for _, name := range slices.Sorted(maps.Keys(b.Rates)) {
			rates.Set(name, []float64{b.Rates[name][0], b.Rates[name][1]})
		}
		all.Set("rates", rates)
	}
	o.Set("bounds", all)
}
