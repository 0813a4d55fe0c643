package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// sampleTable is whether the run's values carry its percentiles, by two answers that know nothing of each
// other: our interval, and MLPerf's early stopping. nil: there are no percentiles.
func sampleTable(id string, r *measure.Result) *table {
	t := &table{
		ID:      id,
		Caption: fmt.Sprintf("Does the sample carry these percentiles? Our %g %% interval, which allows for values that hang together, and MLPerf's early stopping, which takes them as independent: at most, with %g %% confidence. In ms", 100*r.Confidence.Level, 100*stats.EarlyStoppingConfidence),
		Heads:   heads("percentile", "#values", "#worth", "#measured", "#at least", "#at most", "#at most, by MLPerf", "#values that MLPerf needs"),
	}
	for i := range r.Confidence.Intervals {
		in := &r.Confidence.Intervals[i]
		if in.Early == nil || in.Label == "" || in.N == 0 {
			continue
		}
		t.Lines = append(t.Lines, []cell{
			words(in.Label), value(float64(in.N)), value(in.Effective), value(in.Estimate), known(in.Low), known(in.High),
			known(in.Early.Estimate), value(float64(in.Early.MinQueries)),
		})
	}
	if len(t.Lines) == 0 {
		return nil
	}
	return t
}

// known is a number, or the word for one that can't be had.
func known(v *float64) cell {
	if v == nil {
		return cell{Text: "n/a", Class: "num"}
	}
	return value(*v)
}
