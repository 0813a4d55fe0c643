package duel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
)

// The ways in which a duel does not end well.
var (
	ErrBroken    = errors.New("the gate is broken")
	ErrUndecided = errors.New("undecided")
)

// Err says how a duel ended: nil where all is decided and the gate is kept, else an
// error that is ErrStopped, ErrBroken or ErrUndecided.
func (d *Duel) Err() error {
	l := d.analysis
	switch {
	case l == nil && d.stopped:
		return ended{ErrStopped, "stopped before the first round was complete"}
	case l == nil:
		return ended{ErrUndecided, d.nothing()}
	case d.stopped:
		return ended{ErrStopped, fmt.Sprintf("stopped after %d rounds", l.Rounds)}
	case l.Outcome == compare.Broken:
		return ErrBroken
	case l.Hopeless != "":
		return ended{ErrUndecided, "not comparable: " + l.Hopeless}
	case len(l.Open) > 0:
		return ended{ErrUndecided, fmt.Sprintf("undecided: %s (%s)", strings.Join(l.Open, ", "), d.ended)}
	}
	return nil
}

// nothing says why no round counts, and what to change: each reason once, with the rounds that have it.
func (d *Duel) nothing() string {
	var whys []string
	count := map[string]int{}
	for _, l := range d.leftOut {
		if count[l.why]++; count[l.why] == 1 {
			whys = append(whys, l.why)
		}
	}
	slices.SortStableFunc(whys, func(a, b string) int { return count[b] - count[a] })
	text := fmt.Sprintf("undecided: no round tells anything: %d of %d are left out because of %s", count[whys[0]], len(d.leftOut), whys[0])
	if len(whys) > 1 {
		text += "; the other reasons stand above, beside their rounds"
	}
	return text
}

// ended is one of the errors above in its own words.
type ended struct {
	kind error
	text string
}

func (e ended) Error() string { return e.text }
func (e ended) Unwrap() error { return e.kind }

// Conclusion is what the duel showed, in one sentence.
func (d *Duel) Conclusion() string {
	l := d.analysis
	rounds := fmt.Sprintf("After %d rounds", l.Rounds)
	if l.Rounds == 1 {
		rounds = "After 1 round"
	}
	if l.Hopeless != "" {
		return fmt.Sprintf("%s A and B are not comparable: %s.", rounds, l.Hopeless)
	}
	var parts []string
	for _, key := range d.judge.Keys() {
		for i := range l.Rows {
			if row := &l.Rows[i]; row.Metric.Key == key {
				parts = append(parts, difference(row, l.Rounds >= d.rules.MinRounds))
			}
		}
	}
	text := rounds + ": " + strings.Join(parts, "; ") + "."
	if len(d.rules.Gate) > 0 {
		text += fmt.Sprintf(" The gate is %s.", l.Outcome)
	}
	return text
}

// difference is how B stands to A in one metric. Before the first analysis nothing is decided.
func difference(row *compare.Row, analysed bool) string {
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
	case !analysed || !c.Bounded:
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
