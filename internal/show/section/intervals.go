package section

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atIntervals, intervals) }

// intervals are those of the numbers that a console shows, where they were asked for. An end
// that can't be had is n/a, and the reason follows.
func intervals(run *Run) *Section {
	if !run.Intervals {
		return nil
	}
	c := &run.Result.Confidence
	t := &table.Table{Columns: slices.Concat(table.Words(""), table.Numbers(number.Millis, "estimate", "low", "high"))}
	for i := range c.Intervals {
		in := &c.Intervals[i]
		if in.Label == "" {
			continue
		}
		t.Add(in.Label, in.Estimate, end(in.Low), end(in.High))
		if in.Reason != "" {
			t.Notes = append(t.Notes, in.Label+": "+in.Reason)
		}
	}
	return &Section{ID: "intervals", Title: fmt.Sprintf("Intervals, %g %%", c.Level*100), Tables: []*table.Table{t}}
}
