package measure

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/stats"
)

// Goodput is what of a run met every limit of --goodput.
type Goodput struct {
	Good     int     `json:"good"`     // successes that met every limit
	Requests int     `json:"requests"` // all that were measured but those ended on purpose: a failure meets nothing
	Share    float64 `json:"share"`    // good / requests: 0 to 1

	RequestsPerSecond float64 `json:"requests_per_s"`      // vLLM's request_goodput
	TokensPerSecond   float64 `json:"output_tokens_per_s"` // output tokens of the good ones
	Limits            []Limit `json:"limits"`              // by name
	Tokens            int64   `json:"-"`                   // output tokens of the good ones
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
	values []metric.Limit // parallel to limits
	good   int
	tokens int64
	one    gapsOfOne
}

// newGoodput takes names that Options.check has seen.
func newGoodput(limits map[string]float64) goodput {
	var g goodput
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		of, ok := metric.ParseLimit(name)
		if !ok || of.Metric.Scope == metric.PerJob {
			continue
		}
		g.one.needs |= of.Metric.Gaps
		g.limits = append(g.limits, Limit{Metric: name, MS: limits[name]})
		g.values = append(g.values, of)
	}
	return g
}

func (g *goodput) add(req *journal.Request, r *row.Row) {
	if len(g.limits) == 0 || !r.OK {
		return
	}
	g.one.read(req)
	misses, last := 0, 0
	for i := range g.limits {
		l := &g.limits[i]
		v, has := g.value(&g.values[i], r)
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
		r.Good = true
		g.good++
		g.tokens += int64(r.Output)
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
		Good: g.good, Requests: r.Requests - r.HungUp, Share: ratio(int64(g.good), int64(r.Requests-r.HungUp)),
		Limits: g.limits, Tokens: g.tokens,
	}
	r.Limits.RequestsPerSecond, r.Limits.TokensPerSecond = r.number("request_goodput"), r.number("output_token_goodput")
	r.Goodput = &r.Limits.RequestsPerSecond
}

// presence says whether a success has a value of a metric.
type presence int

const (
	isThere  presence = iota
	isNone            // by its nature: one token has no time between tokens, and meets any limit
	notKnown          // nobody said, or it never came: it meets none
)

// value is that of a success in seconds.
func (g *goodput) value(l *metric.Limit, r *row.Row) (float64, presence) {
	if l.Metric.Of != nil {
		v, ok := l.Metric.Of(r)
		switch {
		case ok:
			return v, isThere
		case l.Metric.AbsentIsUnknown:
			return 0, notKnown
		}
		return 0, isNone
	}
	gaps, known := g.one.chunks, true
	if l.Metric.Gaps == metric.BetweenTokens {
		gaps, known = g.one.tokens, g.one.known
	}
	switch {
	case !known:
		return 0, notKnown
	case len(gaps) == 0:
		return 0, isNone
	case l.Over.Mean:
		return stats.Mean(gaps), isThere
	case l.Over.Max:
		return slices.Max(gaps), isThere
	}
	stats.Select(gaps, []float64{l.Over.Percentile})
	return stats.Percentile(gaps, l.Over.Percentile), isThere
}

// gapsOfOne are the gaps of one success that the limits need. Their memory is used again.
type gapsOfOne struct {
	needs  metric.Gaps
	chunks []float64 // seconds, in no order
	tokens []float64
	known  bool // the tokens of each event
}

func (f *gapsOfOne) read(req *journal.Request) {
	f.chunks, f.tokens = f.chunks[:0], f.tokens[:0]
	if f.needs&metric.BetweenChunks != 0 {
		row.EachGap(req, func(_, gap int64, first bool) {
			if !first {
				f.chunks = append(f.chunks, seconds(gap))
			}
		})
	}
	if f.needs&metric.BetweenTokens != 0 {
		tokens, mask, by := row.TokensOf(req)
		f.known = by != row.TokensUnknown
		row.EachTokens(&req.Events, tokens, mask, func(_, gap int64, n int, first bool) {
			for range n {
				if !first {
					f.tokens = append(f.tokens, seconds(gap)/float64(n))
				}
			}
		})
	}
}

// jobLimits hold each complete job against the limits on jobs.
type jobLimits struct {
	limits []Limit
	good   int
}

func newJobLimits(limits map[string]float64) (l jobLimits) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if of, ok := metric.ParseLimit(name); ok && of.Metric.Scope == metric.PerJob {
			l.limits = append(l.limits, Limit{Metric: name, MS: limits[name]})
		}
	}
	return l
}

// add takes in the time of a job, and that of the server in it; -1: not known.
func (l *jobLimits) add(took, model int64) {
	misses, last := 0, 0
	for i := range l.limits {
		limit, v := &l.limits[i], took
		if limit.Metric == jobModel {
			v = model
		}
		switch {
		case v < 0:
			limit.Unknown++
		case float64(v)/1e6 > limit.MS:
			limit.Broken++
		default:
			continue
		}
		misses, last = misses+1, i
	}
	switch misses {
	case 0:
		l.good++
	case 1:
		l.limits[last].Alone++
	}
}

// result is nil without a limit.
func (l *jobLimits) result(j *Jobs, r *Result) *JobGoodput {
	if len(l.limits) == 0 {
		return nil
	}
	of := j.Time.Count + j.Failed
	return &JobGoodput{
		Good: l.good, Jobs: of, Share: ratio(int64(l.good), int64(of)), PerHour: 3600 * perSecond(l.good, r.Duration), Limits: l.limits,
	}
}
