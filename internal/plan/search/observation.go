package search

import (
	"math"
	"slices"
	"time"
)

// Observation is what a probe has shown.
type Observation struct {
	X       float64     `json:"x"`
	Seconds float64     `json:"seconds"` // for which load was sent
	Cost    float64     `json:"cost_s"`  // that it took in all
	Purpose Purpose     `json:"purpose"`
	Clauses []ClauseUse `json:"clauses"`           // of the SLO, in its order
	GaveUp  string      `json:"gave_up,omitempty"` // why it was left before its time
	// Spoiled is why the probe is no evidence, and what to change: its numbers can't be used. Disturbed is what may have
	// made it slow beside the server: a disturbed probe can show that a load holds, and not that it does not.
	Spoiled   string    `json:"spoiled,omitempty"`
	Disturbed string    `json:"disturbed,omitempty"`
	Numbers   Numbers   `json:"numbers"`
	Run       string    `json:"run,omitempty"` // its folder
	At        time.Time `json:"at,omitzero"`   // when it began
}

// ClauseUse is how much of its limit a clause took: 1 is all of it. Low and High
// are the 95 % ends; what is not known is nil. Least and Most are what the value can be for how
// it was measured, whatever chance does; they are in Low and High too.
type ClauseUse struct {
	Clause string   `json:"clause"`
	Value  *float64 `json:"value"` // in the clause's own unit
	Use    *float64 `json:"use"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Least  *float64 `json:"least,omitempty"`
	Most   *float64 `json:"most,omitempty"`
	// Cut: it speaks of jobs, and too many were cut off by the end of the probe to know it.
	Cut bool `json:"cut,omitempty"`
}

// Numbers are what the curve shows of a point.
type Numbers struct {
	Sent     int `json:"sent"`     // requests, without those of the start
	Requests int `json:"requests"` // that completed
	// Jobs are those that completed, where the SLO speaks of jobs; nil: it does not.
	Jobs       *int     `json:"jobs,omitempty"`
	Throughput float64  `json:"request_throughput"`
	Output     float64  `json:"output_throughput"`
	Total      float64  `json:"total_token_throughput"`
	Goodput    *float64 `json:"request_goodput"` // nil: the SLO bounds no latency
	Latency    float64  `json:"mean_e2el_ms"`
	Verdict    string   `json:"verdict,omitempty"`
	Reasons    []string `json:"verdict_reasons,omitempty"` // the names of checks, each with what it found
	Cost       *Cost    `json:"cost,omitempty"`            // nil: no price and no power were given
}

// Cost is what tokens cost at a point; what is not known is nil.
type Cost struct {
	PerMillionOutput *float64 `json:"per_million_output_tokens"`
	PerMillionTokens *float64 `json:"per_million_tokens"`
	Power            *Energy  `json:"power"` // nil: not asked for
}

// Energy is what tokens take; where it is not known, Reason says why.
type Energy struct {
	JoulesPerOutput *float64 `json:"joules_per_output_token"`
	JoulesPerToken  *float64 `json:"joules_per_token"`
	Reason          string   `json:"reason,omitempty"`
}

// The logarithm of use is bounded: a clause that takes next to nothing of its limit,
// or many times it, says on which side the edge is and not how far.
const (
	floorUse = -3.0 // some 5 % of the limit
	usable   = 1.1  // from a third of the limit to three times it
)

// Binding is the clause that takes the most of its limit; nil where none is known.
func (o *Observation) Binding() *ClauseUse {
	var b *ClauseUse
	for i := range o.Clauses {
		if c := &o.Clauses[i]; c.Use != nil && (b == nil || *c.Use > *b.Use) {
			b = c
		}
	}
	return b
}

// level is the logarithm of the binding clause's use and its standard error. sure
// is false where the probe only says that it was over the edge: it was left early,
// nothing completed, or a clause has no value.
func (o *Observation) level() (u, sd float64, sure bool) {
	b := o.Binding()
	unknown := slices.ContainsFunc(o.Clauses, func(c ClauseUse) bool { return c.Use == nil })
	if b == nil || o.GaveUp != "" || unknown || math.IsInf(*b.Use, 1) {
		return usable, 0.3, false
	}
	if u = math.Log(max(*b.Use, 1e-9)); u <= floorUse {
		return floorUse, 0.3, true
	}
	return u, b.deviation(), true
}

// Standard errors of a use that has no interval, and the least that is believed of
// one that has.
const (
	unknownDeviation = 0.3
	leastDeviation   = 0.01
	missingEnd       = 0.05 // more, where an end is missing
	leftDeviation    = 0.25 // of a probe that was left early
)

// deviation is the standard error of the logarithm, from the ends that are there.
func (c *ClauseUse) deviation() float64 {
	const z = 1.96
	at, low, high := *c.Use, c.Low, c.High
	from := func(a, b float64) float64 { return math.Abs(math.Log(max(a, 1e-9) / max(b, 1e-9))) }
	sd := unknownDeviation
	switch {
	case low != nil && high != nil:
		sd = from(*high, *low) / (2 * z)
	case low != nil: // the missing end is the further one
		sd = 2*from(at, *low)/z + missingEnd
	case high != nil:
		sd = 2*from(*high, at)/z + missingEnd
	}
	return max(sd, leastDeviation)
}

// Holds reports whether the probe met the SLO.
func (o *Observation) Holds() bool {
	u, _, sure := o.level()
	return sure && u <= 0
}

// decided is the side of the edge that a probe was on: -1 below, 1 above, 0 not certain.
func (o *Observation) decided() int {
	u, sd, sure := o.level()
	b := o.Binding()
	switch {
	case !sure || u > 2*sd || b.Low != nil && *b.Low > 1:
		return 1
	case u < -2*sd || b.High != nil && *b.High <= 1:
		return -1
	}
	return 0
}

// point is all observations of one load.
type point struct {
	x, u   float64
	weight float64
	side   int // what the surest of them decided
}

// points puts observations of the same load together, in the order of load.
func (s *Search) points() []point {
	var list []point
	for i := range s.counted {
		o := &s.counted[i]
		u, sd, _ := o.level()
		at := slices.IndexFunc(list, func(p point) bool { return p.x == o.X })
		if at < 0 {
			list = append(list, point{x: o.X})
			at = len(list) - 1
		}
		p, w := &list[at], 1/(sd*sd)
		p.u = (p.u*p.weight + u*w) / (p.weight + w)
		p.weight += w
		if d := o.decided(); d != 0 {
			p.side = d
		}
	}
	slices.SortFunc(list, func(a, b point) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return list
}

// bounds are the highest load below the edge and the lowest above it. Chance may
// put one that holds above one that does not: the place with the fewest loads on the
// wrong side, each by its weight, parts them.
func (s *Search) bounds() (low, high *point) {
	list := s.points()
	cost := func(cut int) (sum float64) { // list[:cut] hold
		for i, p := range list {
			if (i < cut) != (p.u <= 0) {
				sum += p.u * p.u * p.weight
			}
		}
		return sum
	}
	best := 0
	for cut := 1; cut <= len(list); cut++ {
		if cost(cut) < cost(best) {
			best = cut
		}
	}
	if best > 0 {
		low = &list[best-1]
	}
	if best < len(list) {
		high = &list[best]
	}
	return low, high
}
