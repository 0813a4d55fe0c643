package search

import (
	"fmt"
	"math"
)

// Answer is what the search has found.
type Answer struct {
	// X is the highest load at which the SLO was shown to hold; nil: at none.
	X *float64 `json:"x"`
	// Low and High are the 95 % interval of the load at which it ceases to hold. High
	// is nil where no load was too much.
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
	a.Binding = s.bindingNear(low, high)
	if low == nil {
		a.Reason = "the SLO holds at no load that was tried"
		if len(s.seen) > 0 {
			a.Reason = fmt.Sprintf("the SLO does not hold at %g, the lowest load that was tried", high.x)
		}
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
	case high != nil:
		a.High = new(max(e.high, x))
	case ok:
		a.Reason = "it holds at the highest load of the range: the edge is beyond it"
	}
	return a
}

// unconfirmed says why there is no long run that holds.
func (s *Search) unconfirmed(e edge, fails int) string {
	why := s.overBudget()
	switch {
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

// bindingNear is the clause that most of the limit was taken of, over the edge if
// there was such a probe, else below it.
func (s *Search) bindingNear(low, high *point) string {
	for _, p := range []*point{high, low} {
		if p == nil {
			continue
		}
		for i := range s.seen {
			if o := &s.seen[i]; o.X == p.x {
				if b := o.Binding(); b != nil && !(*b.Use <= 0) && !math.IsNaN(*b.Use) {
					return b.Clause
				}
			}
		}
	}
	return ""
}
