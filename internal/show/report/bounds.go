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
