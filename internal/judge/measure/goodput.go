package measure

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// Goodput is what of a run kept every limit of --goodput.
type Goodput struct {
	Good     int     `json:"good"`     // successes that kept every limit
	Requests int     `json:"requests"` // all that were measured: a failure keeps nothing
	Share    float64 `json:"share"`    // good / requests: 0 to 1

	RequestsPerSecond float64 `json:"requests_per_s"`      // vLLM's request_goodput
	TokensPerSecond   float64 `json:"output_tokens_per_s"` // output tokens of the good ones
	Limits            []Limit `json:"limits"`              // by name
}

// Limit is one clause of --goodput, and what it cost. The one with the most in
// Alone binds: it is what to look at first.
type Limit struct {
	Metric  string  `json:"metric"`
	MS      float64 `json:"limit_ms"`
	Broken  int     `json:"broken"`  // successes over it
	Unknown int     `json:"unknown"` // successes whose value is not known: they are not good
	Alone   int     `json:"alone"`   // successes that this limit alone keeps from being good
}

// goodput holds each success against the limits as it comes, so that limits on
// single gaps need no gap to be kept.
type goodput struct {
	limits []Limit
	values []limitValue // parallel to limits
	good   int
	tokens int64
	one    facts
}

// newGoodput takes names that Options.check has seen.
func newGoodput(limits map[string]float64) goodput {
	var g goodput
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		value, needs, ok := limitOf(name)
		if !ok {
			continue
		}
		g.one.needs |= needs
		g.limits = append(g.limits, Limit{Metric: name, MS: limits[name]})
		g.values = append(g.values, value)
	}
	return g
}

func (g *goodput) add(req *journal.Request, row *Row) {
	if len(g.limits) == 0 || !row.OK {
		return
	}
	g.one.read(req, row)
	misses, last := 0, 0
	for i := range g.limits {
		l := &g.limits[i]
		v, has := g.values[i](&g.one)
		switch {
		case has == notKnown:
			l.Unknown++
		case has == isThere && v > l.MS/1000:
			l.Broken++
		default:
			continue
		}
		misses, last = misses+1, i
	}
	switch misses {
	case 0:
		row.Good = true
		g.good++
		g.tokens += int64(row.Output)
	case 1:
		g.limits[last].Alone++
	}
}

// result fills in vLLM's number and ours.
func (g *goodput) result(r *Result) {
	if len(g.limits) == 0 {
		return
	}
	r.Limits = &Goodput{
		Good: g.good, Requests: r.Requests, Share: ratio(int64(g.good), int64(r.Requests)),
		RequestsPerSecond: perSecond(g.good, r.Duration), TokensPerSecond: perSecond(g.tokens, r.Duration),
		Limits: g.limits,
	}
	r.Goodput = &r.Limits.RequestsPerSecond
}
