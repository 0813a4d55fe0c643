package search

import (
	"fmt"
	"math"
	"slices"
)

// What a probe says counts where it is evidence. It is none where its numbers can't be used (Spoiled), or where it
// sent next to nothing. And what disturbs a server makes it slower, never faster: so a probe over the edge says
// less than one below it. One that was disturbed is no evidence unless it was over by more than that, and one that is
// the only one of its kind is made again before it bounds the search.

const (
	leastRequests = 5  // with which a probe can show that a load holds
	leastOver     = 3  // … and that it does not
	fewRequests   = 12 // that a probe is planned for: the start, a tenth, is not counted
	maxAgain      = 3  // probes of one load without evidence, after which no more is tried there
	maxSpoiled    = 12 // in all
)

// few reports whether a probe sent so little that it says nothing, or was too short for its jobs.
func (o *Observation) few() bool {
	n, _ := o.values()
	return n < leastOver || n < leastRequests && o.Holds() || slices.ContainsFunc(o.Clauses, func(c ClauseUse) bool { return c.Cut })
}

// values is how many values a probe has, and of what: requests, or jobs where the SLO speaks of them.
func (o *Observation) values() (n int, what string) {
	if o.Numbers.Jobs != nil {
		return *o.Numbers.Jobs, "complete jobs"
	}
	return max(o.Numbers.Sent, o.Numbers.Requests), "requests"
}

// perSecond is the rate at which a probe gives values.
func (o *Observation) perSecond() float64 {
	if n := o.Numbers.Jobs; n != nil && o.Seconds > 0 {
		return float64(*n) / o.Seconds
	}
	return o.Numbers.Throughput
}

// Without says why a probe is no evidence; empty: it is.
func (o *Observation) Without() string {
	switch {
	case o.Spoiled != "":
		return o.Spoiled
	case o.few():
		n, what := o.values()
		if n >= leastRequests {
			return fmt.Sprintf("%d %s in %.3g s, and too many were cut off by its end to know how long they take; hint: give longer probes (--probe)", n, what, o.Seconds)
		}
		return fmt.Sprintf("only %d %s in %.3g s, and %d are needed; hint: give longer probes (--probe)", n, what, o.Seconds, leastRequests)
	case !o.Holds() && !o.surelyOver():
		return "it did not hold, which may be the measuring machine's doing: " + o.Disturbed + "; hint: let nothing else run beside it"
	}
	return ""
}

// Across is the clause that holds as it was measured and may be broken all the same, in the worst case of what its value
// can be off; nil: none.
func (o *Observation) Across() *ClauseUse {
	for i := range o.Clauses {
		if c := &o.Clauses[i]; c.Use != nil && *c.Use <= 1 && c.Most != nil && *c.Most > 1 {
			return c
		}
	}
	return nil
}

// undisturbed reports whether a probe was not disturbed, or by no more than matters.
func (o *Observation) undisturbed() bool {
	b := o.Binding()
	return o.Disturbed == "" || b != nil && b.Least != nil && *b.Least >= clearShare**b.Use
}

// clearShare of a value must be the server's.
const clearShare = 0.95

// surelyOver reports whether the server itself was over the edge in a probe: it was not disturbed, or so far
// over that what its numbers may be off does not matter.
func (o *Observation) surelyOver() bool {
	if o.Holds() || o.undisturbed() {
		return !o.Holds()
	}
	b := o.Binding()
	return b != nil && b.Least != nil && *b.Least > 1 && b.Low != nil && *b.Low > 1
}

// Observed takes in what a probe has shown.
func (s *Search) Observed(o Observation) {
	s.seen = append(s.seen, o)
	s.counted = nil
	for i := range s.seen {
		if o := &s.seen[i]; o.Without() == "" && !s.outvoted(o) {
			s.counted = append(s.counted, *o)
		}
	}
}

// outvoted reports whether a probe over the edge is contradicted: at least as many that were as long held, surely, at
// its load or above as were over at its load or below.
func (s *Search) outvoted(o *Observation) bool {
	if o.decided() != 1 {
		return false
	}
	over, held := 0, 0
	for i := range s.seen {
		switch p := &s.seen[i]; {
		case p.Without() != "":
		case p.X <= o.X && p.decided() == 1:
			over++
		case p.X >= o.X && p.Seconds >= o.Seconds && p.decided() == -1:
			held++
		}
	}
	return held > 0 && held >= over
}

// again asks for a probe without evidence once more, for longer where it sent too little, unless it was made often enough.
func (s *Search) again() (p Probe, ok bool) {
	if len(s.seen) == 0 {
		return Probe{}, false
	}
	last := &s.seen[len(s.seen)-1]
	if last.Without() == "" || s.stuckAt(last.X) {
		return Probe{}, false
	}
	seconds := last.Seconds
	if last.Spoiled == "" {
		n, _ := last.values()
		seconds *= min(max(1.5*leastRequests/float64(max(n, 1)), 2), 4)
	}
	return s.probe(last.X, seconds, last.Purpose), true
}

// stuckAt reports whether the last probes of a load are no evidence, however often it is tried.
func (s *Search) stuckAt(x float64) bool {
	count := 0
	for i := range s.seen {
		switch o := &s.seen[i]; {
		case o.X != x:
		case o.Without() == "":
			count = 0
		default:
			count++
		}
	}
	return count >= maxAgain
}

// stuck is the last probe of the lowest load at which no probe is evidence; nil: there is none.
func (s *Search) stuck() (last *Observation) {
	for i := range s.seen {
		if o := &s.seen[i]; s.stuckAt(o.X) && (last == nil || o.X <= last.X) {
			last = o
		}
	}
	return last
}

// hopeless reports whether so many probes are no evidence that no more is tried.
func (s *Search) hopeless() bool {
	count := 0
	for i := range s.seen {
		if s.seen[i].Without() != "" {
			count++
		}
	}
	return count >= maxSpoiled && 2*count > len(s.seen)
}

// overs are the probes that bound the search from above: over the edge, above what holds and not above high.
func (s *Search) overs(low, high *point) (list []*Observation) {
	for i := range s.counted {
		o := &s.counted[i]
		if o.X <= high.x*(1+s.cfg.Tolerance) && (low == nil || o.X > low.x) && !o.Holds() {
			list = append(list, o)
		}
	}
	return list
}

// second asks for another probe of the first load before the search goes down for it.
func (s *Search) second() (Probe, bool) {
	low, high := s.bounds()
	if high == nil {
		return Probe{}, false
	}
	if low != nil || s.times(high.x) >= maxAgain+2 || len(s.overs(low, high)) >= maxAgain {
		return Probe{}, false
	}
	return s.probe(high.x, s.overs(low, high)[0].Seconds, Bracket), true
}

// check asks, where the edge is found, for a probe somewhat above it, where the server must be over for sure: else it
// is not the edge. Such a probe is left early, and costs little.
func (s *Search) check(e edge) (Probe, bool) {
	_, high := s.bounds()
	if high == nil {
		return Probe{}, false
	}
	x := max(high.x, e.x*(1+2*s.cfg.Tolerance))
	return s.checked(x, e.x, x*(1+s.cfg.Tolerance), 1)
}

// surprised asks for more probes of a load over the edge that lies next to one that leaves room: there is a cliff, or a
// disturbance that nobody saw.
func (s *Search) surprised() (Probe, bool) {
	low, high := s.bounds()
	if low == nil || high == nil || high.x > 1.12*low.x || low.u > surprise {
		return Probe{}, false
	}
	wanted := 1
	if low.u < largeSurprise {
		wanted = 2
	}
	return s.checked(high.x, low.x*(1+1e-9), high.x*(1+2*s.cfg.Tolerance), wanted)
}

// checked asks for a check of a load, unless so many more of those between two loads were over than held.
func (s *Search) checked(x, from, to float64, wanted int) (Probe, bool) {
	over, held := 0, 0
	for i := range s.seen {
		switch o := &s.seen[i]; {
		case o.Purpose != Check || o.Without() != "" || o.X < from || o.X > to:
		case o.Holds():
			held++
		default:
			over++
		}
	}
	if over-held >= wanted || over+held >= maxChecks || s.late() {
		return Probe{}, false
	}
	return s.probe(x, s.enough(x), Check), true
}

// Logarithms of a use next to which a load over the edge is a surprise: 80 and 65 % of the limit.
const (
	maxChecks     = 5
	surprise      = -0.22
	largeSurprise = -0.43
)

// times is how often a load was probed.
func (s *Search) times(x float64) (n int) {
	for i := range s.seen {
		if s.seen[i].X == x {
			n++
		}
	}
	return n
}

// leastSeconds is for how long a load must be probed to send enough to say anything: of a closed loop by what was sent
// at the next lower load, of which a probe can have been too short.
func (s *Search) leastSeconds(x float64) float64 {
	if !s.cfg.Integer {
		return math.Ceil(fewRequests / x)
	}
	at, rate := 0.0, 0.0
	for i := range s.seen {
		if o := &s.seen[i]; o.X >= at && o.X <= x && o.perSecond() > 0 {
			at, rate = o.X, o.perSecond()
		}
	}
	if rate == 0 {
		return 0
	}
	return min(fewRequests/rate, s.cfg.Long)
}
