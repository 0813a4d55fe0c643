package compare

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/stats"
)

// heldAccuracy holds a side's accuracy against a limit. The word alone is broken by a loss
// that is established, and kept otherwise: how much could hide is said. A limit in points
// is held as all others are, by the interval. What a server's speed or the length of its
// answers casts doubt on is not its accuracy; requests that failed are.
func (c *Comparison) heldAccuracy(l *condition.Clause, side int, share float64) Finding {
	f := Finding{Side: c.Names[side], Limit: l.String(), Outcome: Undecided}
	p := c.Accuracy.Sides[side].Change
	if p.NotPaired != "" {
		f.Sentence = "the answers can't be paired: " + p.NotPaired
		return f
	}
	low, high := p.interval(share)
	words := fmt.Sprintf("%+.1f points [%+.1f, %+.1f]", 100*p.Difference, 100*low, 100*high)
	if l.Op == condition.NotWorse {
		f.Outcome, f.Sentence = Kept, fmt.Sprintf("%s: no loss that can be told from chance, p = %s; one of up to %.1f points could hide", words, Probability(p.P), max(-100*low, 0))
		if p.Worse() {
			f.Outcome, f.Sentence = Broken, fmt.Sprintf("%s: it is worse, p = %s", words, Probability(p.P))
		}
	} else {
		f.Outcome, f.Sentence = within(l, low, high, words)
	}
	if p.Failed > 0 && f.Outcome != Undecided {
		f.Outcome, f.Sentence = p.despite(l, f, share)
	}
	return f
}

// despite says what a finding is worth where requests failed, so that a question was
// answered on one side only: it stands if it would whichever way those had gone.
func (p *Paired) despite(l *condition.Clause, f Finding, share float64) (Outcome, string) {
	note := fmt.Sprintf("%s; %d questions were asked on both sides and answered on one", f.Sentence, p.Failed)
	for _, bound := range []*Paired{p.with(p.Failed, 0), p.with(0, p.Failed)} {
		low, high := bound.interval(share)
		held := Kept
		if l.Op == condition.NotWorse {
			if stats.McNemar(bound.Lost, bound.Gained) < share && bound.Lost > bound.Gained {
				held = Broken
			}
		} else {
			held, _ = within(l, low, high, "")
		}
		if held != f.Outcome {
			return Undecided, note + ", and their answers could change this"
		}
	}
	return f.Outcome, note + ", which could not change this"
}

// with is the pairs with so many more lost and gained.
func (p *Paired) with(lost, gained int) *Paired {
	q := *p
	q.Questions, q.Lost, q.Gained = p.Questions+lost+gained, p.Lost+lost, p.Gained+gained
	q.counts.First, q.counts.Second = p.counts.First+lost, p.counts.Second+gained
	for range lost {
		q.shares.Add(-1)
	}
	for range gained {
		q.shares.Add(1)
	}
	return &q
}
