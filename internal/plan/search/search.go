// Package search finds the highest load at which an SLO holds, with as little
// measuring as it can.
//
// It is pure: it asks for a probe (Next), is told what was observed (Observed), and
// ends with an Answer. Who measures, and how, is not its concern: the package find
// runs real probes, the tests make numbers up.
//
//	bracket ─▶ narrow ─▶ check ─▶ confirm
//
// Everything is expressed as use: the share of its limit that a clause of the SLO takes.
// The clause with the highest use binds, and the edge is where its use is 1. First
// the load grows (bracket) until one is over the edge. Then probes are put close to
// both sides of where the edge seems to be (narrow): a line is fitted to the
// logarithm of use over the logarithm of load, near ones and sure ones counting
// most, and its crossing of 1 has an interval. When that is narrow enough, a probe above it
// must be over (check), and one long run must show that the SLO holds (confirm); what it says counts in the fit too,
// and where it fails the next one is lower.
//
// The search keeps nothing but what was observed: Next is a function of that, so
// that a search that was interrupted goes on from its observations.
package search

import "math"

// Config is what is looked for, and what it may cost.
type Config struct {
	From, To  float64 // the range of loads; To 0: no upper end
	Lower     bool    // loads below From may be tried where From is too much
	Integer   bool    // a concurrency; else a rate
	Tolerance float64 // half of the interval's width, as a share: 0.05
	Short     float64 // seconds of the first probes
	Long      float64 // seconds of the confirming run
	Enough    int     // requests, or jobs, that a probe close to the edge should have
	Budget    float64 // seconds that all may take; 0: no bound
}

// Purpose is what a probe is for.
type Purpose string

// The purposes.
const (
	Bracket Purpose = "bracket"
	Narrow  Purpose = "narrow"
	Check   Purpose = "check" // that the edge is one
	Confirm Purpose = "confirm"
)

// Probe is a measurement that the search asks for.
type Probe struct {
	X       float64
	Seconds float64
	Purpose Purpose
}

// Search is one search.
type Search struct {
	cfg     Config
	seen    []Observation
	counted []Observation // those that are evidence
}

// farBelow is the logarithm of a use that leaves much room.
const farBelow = -1.2 // 30 % of the limit

// The bounds of a search that has no other.
const (
	maxProbes   = 48
	maxConfirms = 4
	leastShare  = 1.0 / 64 // of From, where lower loads may be tried
	mostTimes   = 1 << 20  // of From, where there is no To
)

// New begins a search.
func New(cfg Config) *Search {
	if cfg.Integer {
		cfg.From, cfg.To = math.Ceil(cfg.From), math.Floor(cfg.To)
	}
	return &Search{cfg: cfg}
}

// Seen are all observations so far.
func (s *Search) Seen() []Observation { return s.seen }

// Spent is what they took, in seconds.
func (s *Search) Spent() (sum float64) {
	for i := range s.seen {
		sum += s.seen[i].Cost
	}
	return sum
}

// Next is the next probe; false: the search is over.
func (s *Search) Next() (Probe, bool) {
	if s.overBudget() != "" || s.hopeless() {
		return Probe{}, false
	}
	p, ok := s.next()
	if !ok || s.stuckAt(p.X) { // no probe of it will be evidence
		return Probe{}, false
	}
	return p, true
}

func (s *Search) next() (Probe, bool) {
	if p, ok := s.again(); ok {
		return p, true
	}
	if len(s.seen) > 0 && len(s.counted) == 0 {
		return Probe{}, false
	}
	if p, ok := s.second(); ok {
		return p, true
	}
	if p, ok := s.bracket(); ok {
		return p, true
	}
	if s.tooMuch() {
		return Probe{}, false
	}
	if p, ok := s.surprised(); ok {
		return p, true
	}
	e := s.edge()
	if !e.narrow && !s.late() && s.stuck() == nil {
		return s.narrow(e)
	}
	if p, ok := s.check(e); ok {
		return p, true
	}
	return s.confirm(e)
}

// overBudget is the bound that ends the search; empty: none does.
func (s *Search) overBudget() string {
	switch {
	case s.cfg.Budget > 0 && s.Spent() >= s.cfg.Budget:
		return "the time was up"
	case len(s.seen) >= maxProbes:
		return "so many probes did not make the interval narrow"
	}
	return ""
}

// late reports whether the remaining time is just enough to confirm: three long runs,
// or half of the budget where that is short.
func (s *Search) late() bool {
	return s.cfg.Budget > 0 && s.Spent()+min(3*s.cfg.Long, s.cfg.Budget/2) >= s.cfg.Budget
}

// bracket asks for loads until one is over the edge and one is not.
func (s *Search) bracket() (Probe, bool) {
	low, high := s.bounds()
	x := 0.0
	switch {
	case len(s.seen) == 0:
		x = s.cfg.From
	case low == nil && !s.tooMuch():
		x = max(high.x/4, s.least())
	case low != nil && high == nil && low.x < s.most() && s.stuck() == nil:
		x = min(s.higher(low), s.most())
	default:
		return Probe{}, false
	}
	return s.probe(x, s.cfg.Short, Bracket), true
}

// higher is the load after one that holds: twice it, or less where what was seen
// points to an edge before that.
func (s *Search) higher(low *point) float64 {
	next := 2 * low.x
	if low.u < farBelow {
		next *= 2
	}
	if f, ok := fitLine(s.counted, math.Log(low.x), s.cfg.Short); ok && f.edge > math.Log(low.x) {
		next = min(next, max(math.Exp(f.edge)*(1+s.cfg.Tolerance), 1.2*low.x))
	}
	if s.cfg.Integer {
		next = max(next, low.x+1)
	}
	return next
}

// tooMuch reports whether even the least load was over the edge.
func (s *Search) tooMuch() bool {
	low, high := s.bounds()
	return low == nil && high != nil && high.x <= s.least()
}

func (s *Search) least() float64 {
	switch {
	case !s.cfg.Lower:
		return s.cfg.From
	case s.cfg.Integer:
		return 1
	}
	return s.cfg.From * leastShare
}

func (s *Search) most() float64 {
	if s.cfg.To > 0 {
		return s.cfg.To
	}
	return s.cfg.From * mostTimes
}

// narrow asks for a probe close to the edge, on the side that has had fewer.
func (s *Search) narrow(e edge) (Probe, bool) {
	if x, ok := s.doubtful(); ok {
		return s.probe(x, max(s.enough(x), s.cfg.Long/3), Narrow), true
	}
	below, above := 0, 0
	for i := range s.counted {
		switch d := math.Log(s.counted[i].X / e.x); {
		case math.Abs(d) > 2*s.cfg.Tolerance:
		case d < 0:
			below++
		default:
			above++
		}
	}
	x := e.x
	if e.fitted && below+above > 0 { // the first is put on the edge itself
		side := 0.6 * s.cfg.Tolerance
		if above >= below {
			side = -side
		}
		x *= math.Exp(side)
	}
	if low, high := s.bounds(); s.cfg.Integer && high.x-low.x > 1 {
		x = min(max(math.Round(x), low.x+1), high.x-1) // one that is new
	}
	return s.probe(x, s.enough(x), Narrow), true
}

// doubtful is one of the two loads that enclose the edge, where there is no need for
// a third one and it is not sure on which side this one is.
func (s *Search) doubtful() (x float64, ok bool) {
	low, high := s.bounds()
	if !s.adjacent(low, high) {
		return 0, false
	}
	least := math.Inf(1)
	for _, p := range []*point{low, high} {
		if t := s.tried(p.x); p.side == 0 && t < least {
			x, least = p.x, t
		}
	}
	return x, !math.IsInf(least, 1)
}

// adjacent reports whether no load between two need be tried.
func (s *Search) adjacent(low, high *point) bool {
	return high.x <= low.x*(1+s.cfg.Tolerance/2) || s.cfg.Integer && high.x-low.x <= 1
}

// tried is for how many seconds a load was probed.
func (s *Search) tried(x float64) (sum float64) {
	for i := range s.counted {
		if s.counted[i].X == x {
			sum += s.counted[i].Seconds
		}
	}
	return sum
}

// enough is the time of a probe with enough requests, by the throughput of the
// probe next to it.
func (s *Search) enough(x float64) float64 {
	rate, distance := 0.0, math.Inf(1)
	for i := range s.counted {
		o := &s.counted[i]
		if d := math.Abs(math.Log(o.X / x)); d <= distance && o.perSecond() > 0 {
			rate, distance = o.perSecond(), d
		}
	}
	if rate == 0 {
		return s.cfg.Short
	}
	return min(max(float64(s.cfg.Enough)/rate, s.cfg.Short, s.cfg.Long/6), s.cfg.Long)
}

// probe clamps a load to the range and rounds it to few digits.
func (s *Search) probe(x, seconds float64, why Purpose) Probe {
	if s.cfg.Integer {
		x = math.Round(x)
	} else {
		x = digits(x)
	}
	x = min(max(x, s.least()), s.most())
	return Probe{X: x, Seconds: max(seconds, s.leastSeconds(x)), Purpose: why}
}

// digits rounds to four significant digits.
func digits(x float64) float64 {
	if x <= 0 {
		return x
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}
