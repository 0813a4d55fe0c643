package report

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

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
			ends.set(statistic, []float64{m.Bounds[statistic][0], m.Bounds[statistic][1]})
		}
		metrics.set(name, object{{"count", m.Count}, {"within_bounds", m.Within}, {"bounds", ends}})
	}
	all := object{{"known", b.Known}}
	if b.Reason != "" {
		all.set("reason", b.Reason)
	}
	all.set("stamps", b.Stamps)
	all.set("events", b.Events)
	all.set("within_bounds", b.Within)
	all.set("stamp_error_ms", b.StampError)
	all.set("metrics", metrics)
	if len(b.Rates) > 0 {
		rates := object{}
		for _, name := range slices.Sorted(maps.Keys(b.Rates)) {
			rates.set(name, []float64{b.Rates[name][0], b.Rates[name][1]})
		}
		all.set("rates", rates)
	}
	o.set("bounds", all)
}
