package export

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/parquet"
	"github.com/inferometer/inferometer/internal/show/section"
)

// seriesColumns are those of the table of series: the courses that the page draws, one row a slot.
func seriesColumns() []parquet.Column {
	columns := []parquet.Column{{Name: "run", Type: parquet.Text}}
	for _, name := range []string{
		"at_s", "width_s", "in_flight", "waiting", "tokens_per_s", "done_per_s", "failed_per_s",
		"ttft_p50_ms", "ttft_p99_ms", "ttft_max_ms", "e2el_p50_ms", "e2el_p99_ms", "e2el_max_ms",
	} {
		columns = append(columns, parquet.Column{Name: name, Type: parquet.Float})
	}
	return columns
}

// drawSeries gives the row of each slot. Where slots have too few values for a p99 the
// course holds the slowest of each, and the column of the other is empty.
func drawSeries(run *section.Run, add func(values ...any)) {
	t := run.Drawn
	for i := range t.At {
		values := []any{t.At[i], t.Slot, t.InFlight[i], t.Waiting[i]}
		if t.TokensUnknown == "" {
			values = append(values, t.Tokens[i])
		} else {
			values = append(values, nil)
		}
		values = append(values, t.Done[i], t.Failed[i])
		for _, course := range []chartdata.Course{t.TTFT, t.E2EL} {
			high := []any{nil, nil}
			if course.HighName == "p99" {
				high[0] = knownFloat(course.High[i])
			} else {
				high[1] = knownFloat(course.High[i])
			}
			values = append(values, knownFloat(course.P50[i]), high[0], high[1])
		}
		add(values...)
	}
}

// knownFloat is nil for a slot without a value.
func knownFloat(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// writeDrawn adds the rows of one run, which is read to its end first.
func (t lineTable) writeDrawn(out *sheet, folder string) error {
	run, err := ReadRun(folder, measure.Options{}, true, 1)
	if err != nil {
		return err
	}
	var failed error
	name := runName(folder, run.Result.Run)
	t.drawn(&run, func(values ...any) {
		if failed == nil {
			failed = out.row(append([]any{name}, values...))
		}
	})
	return failed
}
