package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atIntervals, intervals) }

// intervals are those of the numbers that a console shows; a page has them beside its numbers. An end
// that can't be had is n/a, and the reason follows.
func intervals(run *Run) *Section {
	c := &run.Result.Confidence
	t := &table.Table{Columns: slices.Concat(table.Words(""), table.Numbers(number.Millis, "estimate", "low", "high")), Except: table.Files}
	for i := range c.Intervals {
		in := &c.Intervals[i]
		if in.Label == "" || in.N == 0 || run.Result.Run.Options.Whole() && strings.HasPrefix(in.Label, "TTFT") { // which an answer in one piece has not
			continue
		}
		t.Add(in.Label, in.Estimate, end(in.Low), end(in.High))
		if in.Reason != "" {
			t.Notes = append(t.Notes, in.Label+": "+in.Reason)
		}
	}
	return &Section{ID: "intervals", Title: fmt.Sprintf("Intervals, %g %%", c.Level*100), Tables: []*table.Table{t}}
}
