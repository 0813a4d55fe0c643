package report

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// until prints whether the goals of --until were reached, and how narrow the
// intervals are at the end. What came while the last requests were waited for may
// have widened one again.
func (c *console) until(s *measure.UntilState) {
	if s == nil {
		return
	}
	word := "not reached"
	if s.Reached {
		word = "reached"
	}
	parts := make([]string, len(s.Goals))
	for i, g := range s.Goals {
		now := "no interval"
		if g.HalfWidth != nil {
			now = fmt.Sprintf("±%.1f %%", *g.HalfWidth*100)
		}
		parts[i] = fmt.Sprintf("%s %s of ±%g %%", g.Goal, now, g.Within*100)
	}
	c.row("Until", word+": "+strings.Join(parts, ", "))
}
