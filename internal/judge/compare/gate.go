package compare

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/condition"
)

// Gate is limits on changes, as in "p99_ttft<+5% and output_throughput>-3%".
type Gate []condition.Clause

// ParseGate reads a gate.
func ParseGate(text string) (Gate, error) { return condition.Parse(text, condition.Change) }

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
	tests := max(len(g)*(len(c.Sides)-1), 2) // each can be wrong on one side of its interval only
	share := 2 * (1 - c.Level) / float64(tests)
	for _, l := range g {
		row := c.row(l.Metric)
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
		return Finding{Outcome: Undecided, Sentence: fmt.Sprintf("%+.1f %%, but the files do not tell how sure that is", ch.Ratio*100)}
	}
	low, high := ch.Low, ch.High
	if ch.degrees > 0 { // else it was made at the right level: that of ab's looks
		low, high = ch.interval(share)
	}
	words := fmt.Sprintf("%+.1f %% [%+.1f, %+.1f]", ch.Ratio*100, low*100, high*100)
	low, high = low-l.Limit, high-l.Limit
	if l.AtLeast() {
		low, high = -high, -low
	}
	switch {
	case low > 0:
		return Finding{Outcome: Broken, Sentence: words + " lies beyond it"}
	case high <= 0:
		return Finding{Outcome: Kept, Sentence: words + " lies within it"}
	}
	more := math.Pow(max(high-low, 1e-9)/2/max(math.Abs((high+low)/2), 1e-3), 2)
	return Finding{Outcome: Undecided, Sentence: fmt.Sprintf("%s lies across it; some %.0f times as many requests would tell", words, math.Ceil(more))}
}

func (c *Comparison) row(key string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Metric.Key == key {
			return &c.Rows[i]
		}
	}
	return nil
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
