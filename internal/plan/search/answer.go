package search

import (
	"fmt"
	"math"
	"slices"
)

// Answer is what the search has found.
type Answer struct {
	// X is the highest load at which the SLO was shown to hold; nil: at none, or nothing is known.
	X *float64 `json:"x"`
	// Low and High are the 95 % interval of the load at which it ceases to hold. High
	// is nil where no load was surely too much, Low where none was shown to hold.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// Confirmed: a long run at X held. Narrow: the interval is as narrow as asked for.
	Confirmed bool    `json:"confirmed"`
	Narrow    bool    `json:"narrow"`
	Binding   string  `json:"binding,omitempty"` // the clause that ceases to hold first
	Reason    string  `json:"reason,omitempty"`  // what is missing from a whole answer
	Probes    int     `json:"probes"`
	Spent     float64 `json:"spent_s"`
}

// Answer is what is known now; it is whole when Next has said that it is over.
func (s *Search) Answer() Answer {
	a := Answer{Probes: len(s.seen), Spent: s.Spent()}
	low, high := s.bounds()
	a.Binding = s.bindingNear(high)
	switch {
	case low == nil && high == nil:
		a.Reason = s.nothing()
		return a
	case low == nil:
		a.Reason = fmt.Sprintf("the SLO does not hold at %g, the lowest load that was tried", high.x)
		if s.surelyAbove(nil) == nil {
			a.Reason = s.doubt(high)
			return a
		}
		a.High = new(high.x)
		return a
	}
	e := s.edge()
	a.Narrow = e.narrow
	x, failed, holds, fails := s.longRuns()
	ok := holds > 0
	switch {
	case !ok:
		x = s.held(e)
		a.Reason = s.unconfirmed(e, fails)
	case !s.settled(x, failed, e):
		a.Reason = "a long run holds, and the edge may be further up"
	}
	a.X, a.Confirmed, a.Low = &x, ok, new(min(e.low, x))
	switch {
	case high != nil && s.sure(low, high):
		a.High = new(max(e.high, x))
	case high != nil:
		a.Narrow, a.Low, a.High, a.Reason = false, &x, s.surelyAbove(low), s.doubt(high)
	case s.stuck() != nil:
		a.Narrow, a.Low, a.Reason = false, &x, fmt.Sprintf("the probes at %g are no evidence: %s", s.stuck().X, s.stuck().Without())
	case ok:
		a.Reason = "it holds at the highest load of the range: the edge is beyond it"
	}
	return a
}

// sure reports whether two probes next to the edge were over it and nothing disturbed them: then the interval is that of
// the fit.
func (s *Search) sure(low, high *point) bool {
	clear := 0
	for _, o := range s.overs(low, high) {
		if o.undisturbed() {
			clear++
		}
	}
	above := s.surelyAbove(low)
	return clear >= 2 || clear == 1 && above != nil && *above <= high.x*(1+3*s.cfg.Tolerance)
}

// surelyAbove is the lowest load above what holds by which the server itself was over the edge in two probes; nil: there is none.
func (s *Search) surelyAbove(low *point) *float64 {
	var over []float64
	for i := range s.counted {
		if o := &s.counted[i]; (low == nil || o.X > low.x) && o.surelyOver() {
			over = append(over, o.X)
		}
	}
	if len(over) < 2 {
		return nil
	}
	slices.Sort(over)
	return new(over[1] * (1 + s.cfg.Tolerance))
}

// doubt says why a load above what holds is not known to be too much.
func (s *Search) doubt(high *point) string {
	why := ""
	for i := range s.counted {
		if o := &s.counted[i]; o.X == high.x && o.Disturbed != "" {
			why = o.Disturbed
		}
	}
	if why == "" {
		return fmt.Sprintf("at %g it did not hold in a single probe", high.x)
	}
	return fmt.Sprintf("at %g it did not hold, which may be the measuring machine's doing: %s", high.x, why)
}

// nothing says why no probe is evidence.
func (s *Search) nothing() string {
	if len(s.seen) == 0 {
		return "nothing was tried"
	}
	return fmt.Sprintf("no probe is evidence, and nothing is known of the edge: %s", s.seen[len(s.seen)-1].Without())
}

// unconfirmed says why there is no long run that holds.
func (s *Search) unconfirmed(e edge, fails int) string {
	why := s.overBudget()
	last := &s.seen[len(s.seen)-1]
	switch {
	case last.Purpose == Confirm && last.Without() != "":
		return fmt.Sprintf("no long run has confirmed it; the last one is no evidence: %s", last.Without())
	case s.hopeless():
		return fmt.Sprintf("most probes are no evidence, and no long run has confirmed it: %s", last.Without())
	case why != "" && !e.narrow:
		return why + " before the interval was narrow enough, and no long run has confirmed it"
	case why != "":
		return why + " before a long run could confirm it"
	}
	return fmt.Sprintf("none of %d long runs held", fails)
}

// held is the highest load below the edge that held, long run or not.
func (s *Search) held(e edge) (x float64) {
	for _, p := range s.points() {
		if p.u <= 0 && p.x <= e.x*(1+1e-9) {
			x = max(x, p.x)
		}
	}
	if x == 0 {
		low, _ := s.bounds()
		x = low.x
	}
	return x
}

// bindingNear is the clause that was broken at a load over the edge; empty where none was.
func (s *Search) bindingNear(high *point) string {
	if high == nil {
		return ""
	}
	for i := range s.counted {
		if o := &s.counted[i]; o.X == high.x {
			if b := o.Binding(); b != nil && *b.Use > 1 && !math.IsNaN(*b.Use) {
				return b.Clause
			}
		}
	}
	return ""
}
