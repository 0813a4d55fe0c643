package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/condition"
)

// Gate is limits on changes, as in "p99_ttft<+5% and output_throughput>-3%".
type Gate []condition.Clause

// ParseGate reads a gate.
func ParseGate(text string) (Gate, error) { return condition.Parse(text, condition.Change) }

// AsksAccuracy says whether a limit is on accuracy.
func (g Gate) AsksAccuracy() bool {
	return slices.ContainsFunc(g, func(l condition.Clause) bool { return l.Metric == condition.Accuracy })
}

// Outcome of a gate.
type Outcome string

// The outcomes, from good to bad.
const (
	Kept      Outcome = "kept"      // beyond noise
	Undecided Outcome = "undecided" // the data can't decide
	Broken    Outcome = "broken"    // beyond noise
)

// Finding is what a limit came to on one side.
type Finding struct {
	Side     string  `json:"side"`
	Limit    string  `json:"limit"`
	Outcome  Outcome `json:"outcome"`
	Sentence string  `json:"sentence"`
}

// Judge holds each side against the gate. A limit is broken only when the whole
// interval of the change lies beyond it, and kept only when it lies within; an
// interval across the limit decides nothing. Severe doubts decide nothing either:
// a change of the workload is no change of the server. Where more than two limits are
// held against sides, their intervals are wider: one of them must not break by chance
// more often than 1 − level.
func (g Gate) Judge(c *Comparison) (Outcome, []Finding, error) {
	worst := Kept
	var found []Finding
	tests := max(len(g)*(len(c.Sides)-1)*max(c.tables, 1), 2) // each can be wrong on one side of its interval only
	share := 2 * (1 - c.Level) / float64(tests)
	for _, l := range g {
		if l.Metric == condition.Accuracy && c.Accuracy != nil {
			for side := 1; side < len(c.Sides); side++ {
				f := c.heldAccuracy(&l, side, share)
				found = append(found, f)
				if f.Outcome == Broken || worst == Kept {
					worst = f.Outcome
				}
			}
			continue
		}
		row := c.Row(l.Metric)
		if row == nil && l.Metric == condition.Accuracy {
			return Undecided, nil, fmt.Errorf("the gate %q: no side has asked questions: give the results of inferometer eval", l)
		}
		if row == nil {
			return Undecided, nil, fmt.Errorf("the gate %q: no side has the metric %s", l, l.Metric)
		}
		for side := 1; side < len(c.Sides); side++ {
			f := held(&l, row.Cells[side].Change, share)
			f.Side, f.Limit = c.Names[side], l.String()
			if d := c.severe(0, side); d != nil && f.Outcome != Undecided {
				f.Outcome, f.Sentence = Undecided, f.Sentence+"; but "+d.Side+": "+d.Sentence
			}
			found = append(found, f)
			if f.Outcome == Broken || worst == Kept {
				worst = f.Outcome
			}
		}
	}
	return worst, found, nil
}

// held holds a change against a limit. share is the error that its interval may have.
func held(l *condition.Clause, ch *Change, share float64) Finding {
	switch {
	case ch == nil:
		return Finding{Outcome: Undecided, Sentence: "the metric is missing on one side"}
	case !ch.Bounded:
		why := "the files do not tell how sure that is"
		if ch.Why != "" {
			why = "its error is not known: " + ch.Why
		}
		return Finding{Outcome: Undecided, Sentence: fmt.Sprintf("%+.1f %%, but %s", ch.Ratio*100, why)}
	}
	low, high := ch.Low, ch.High
	if ch.degrees > 0 || ch.mixed != nil { // else it was made at the right level: that of ab's looks
		low, high = ch.interval(share)
	}
	words := fmt.Sprintf("%+.1f %% [%+.1f, %+.1f]", ch.Ratio*100, low*100, high*100)
	outcome, sentence := within(l, low, high, words)
	if outcome == Undecided && ch.each > 0 {
		sentence += "; " + ch.toDecide(l.Limit, share)
	} else if outcome == Undecided { // ab's: rounds go on
		low, high = low-l.Limit, high-l.Limit
		more := math.Pow(max(high-low, 1e-9)/2/max(math.Abs((high+low)/2), 1e-3), 2)
		sentence += fmt.Sprintf("; some %.0f times as many requests would tell", math.Ceil(more))
	}
	return Finding{Outcome: outcome, Sentence: sentence}
}

// toDecide says how many runs per side would tell on which side of a limit the change lies, if it is what was measured.
func (c *Change) toDecide(limit, share float64) string {
	distance := math.Abs(c.log - math.Log1p(limit))
	if off := max(c.under, c.over); off >= distance {
		return fmt.Sprintf("more runs can't tell: the values may be off by %.0f %%", min(100*relative(off), 999))
	}
	if n := c.needs(distance, share); n > 0 {
		return fmt.Sprintf("about %d runs per side would tell", n)
	}
	return fmt.Sprintf("more than %d runs per side would be needed to tell", MaxRuns)
}

// within says where an interval lies against a limit; words are the interval's.
func within(l *condition.Clause, low, high float64, words string) (Outcome, string) {
	low, high = low-l.Limit, high-l.Limit
	if l.AtLeast() {
		low, high = -high, -low
	}
	switch {
	case low > 0:
		return Broken, words + " lies beyond it"
	case high <= 0:
		return Kept, words + " lies within it"
	}
	return Undecided, words + " lies across it"
}

// Row is the row of a metric; nil: there is none.
func (c *Comparison) Row(key string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Metric.Key == key {
			return &c.Rows[i]
		}
	}
	return nil
}

// NotComparable says that a doubt forbids to hold the sides against each other.
func (c *Comparison) NotComparable() bool {
	return slices.ContainsFunc(c.Doubts, func(d Doubt) bool { return d.Severe })
}

// severe is a doubt that forbids to compare these sides.
func (c *Comparison) severe(sides ...int) *Doubt {
	for i := range c.Doubts {
		for _, s := range sides {
			if c.Doubts[i].Severe && c.Doubts[i].Side == c.Names[s] {
				return &c.Doubts[i]
			}
		}
	}
	return nil
}
