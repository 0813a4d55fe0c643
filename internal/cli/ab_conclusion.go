package cli

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
)

// conclude ends the printed answer with a sentence. Forms for programs have none.
func (r *abRun) conclude() {
	switch r.format {
	case "table", "markdown":
		fmt.Fprintf(r.out, "\n%s\n", r.conclusion())
	}
}

// conclusion is what the duel showed, in one sentence.
func (r *abRun) conclusion() string {
	l := r.look
	rounds := fmt.Sprintf("After %d rounds", l.Rounds)
	if l.Rounds == 1 {
		rounds = "After 1 round"
	}
	if l.Hopeless != "" {
		return fmt.Sprintf("%s A and B are not comparable: %s.", rounds, l.Hopeless)
	}
	var parts []string
	for _, key := range r.judge.Keys() {
		for i := range l.Rows {
			if row := &l.Rows[i]; row.Metric.Key == key {
				parts = append(parts, difference(row, l.Rounds >= r.rules.MinRounds))
			}
		}
	}
	text := rounds + ": " + strings.Join(parts, "; ") + "."
	if len(r.rules.Gate) > 0 {
		text += fmt.Sprintf(" The gate is %s.", l.Outcome)
	}
	return text
}

// difference is how B stands to A in one metric. Before the first look nothing is decided.
func difference(row *compare.Row, looked bool) string {
	name := strings.TrimSuffix(row.Metric.Label, " ms")
	c := row.Cells[1].Change
	if c == nil {
		return name + " is not known"
	}
	direction, good := "higher", row.Metric.Higher
	size := c.Ratio * 100
	if size < 0 {
		direction, good, size = "lower", !good, -size
	}
	switch {
	case !looked || !c.Bounded:
		return fmt.Sprintf("%s is %.1f %% %s with B, which is not decided yet", name, size, direction)
	case c.Call == compare.Real:
		judged := "worse"
		if good {
			judged = "better"
		}
		return fmt.Sprintf("%s is really %.1f %% %s with B, %s (%+.1f to %+.1f %%)", name, size, direction, judged, c.Low*100, c.High*100)
	case c.Call == compare.Same:
		return fmt.Sprintf("%s is the same with B, within %+.1f to %+.1f %%", name, c.Low*100, c.High*100)
	}
	return fmt.Sprintf("%s is not decided (%+.1f to %+.1f %%)", name, c.Low*100, c.High*100)
}
