package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// Groups are the requests of a run told apart by one thing that they have: their turn,
// their adapter. Requests that have none are in no group.
type Groups struct {
	Each []Group
	More *Group // requests of all further keys together; nil: there are none
	// Bound is what More begins behind: the highest turn, or the number of adapters, that
	// stands by itself.
	Bound int
}

// Group is one of them. Latencies are of its successes, from sent; throughput is over
// the whole run's duration, so that the groups of a run add up to it.
type Group struct {
	Turn              int    // of groups by turn
	Name              string // of the others
	Requests          int
	Completed, Failed int
	OutputTokens      int64
	OutputThroughput  float64
	TTFT, TPOT        GroupLatency
	ITL, E2EL         GroupLatency
	Prompt            PromptLengths
	Cached            Cached
}

// GroupLatency is a distribution, and the percentiles that were asked for beyond it.
type GroupLatency struct {
	Summary
	Asked []sample.Percentile
}

// PromptLengths are prompts as the server counted them, in tokens.
type PromptLengths struct {
	Known int     // successes of which it said so
	Mean  float64 // of those, as the next two
	Min   int
	Max   int
}

// Cached is what the server found in its prefix cache, by its own account.
type Cached struct {
	Known  int   // successes of which it said so
	Tokens int64 // of their prompts that it found
	Prompt int64 // tokens of their prompts
}

// Share is the hit share of the tokens; ok is false where nobody said.
func (c *Cached) Share() (v float64, ok bool) {
	if c.Known == 0 || c.Prompt <= 0 {
		return 0, false
	}
	return float64(c.Tokens) / float64(c.Prompt), true
}

func (c *Cached) add(r *row.Row) {
	if r.Cached < 0 || r.Counted < 0 {
		return
	}
	c.Known++
	c.Tokens += int64(min(r.Cached, r.Counted))
	c.Prompt += int64(r.Counted)
}

// The bounds of groups. What lies beyond goes into one group more, so that a hostile
// journal can't fill the memory.
const (
	mostTurns    = 200
	mostAdapters = 1000
)

// groupExact is how many values of a metric a group keeps as they are, and groupBits
// the resolution of its histogram from then on: within 0.1 %.
const (
	groupExact = 1000
	groupBits  = 9
)

// grouper takes in the requests of a run by their key.
type grouper struct {
	key  func(*row.Request) (groupKey, bool)
	most int
	over func(k groupKey, groups int) bool // the key has no group of its own
	each map[groupKey]*group
	more *group
}

// groupKey is what a group's requests have in common.
type groupKey struct {
	number int
	name   string
}

// group is what is kept of one.
type group struct {
	totals                totals
	ttft, tpot, itl, e2el *sample.Sample
	lengths               stats.Moments
	cached                Cached
}

func newGroup() *group {
	sample := func() *sample.Sample { return &sample.Sample{Limit: groupExact, Bits: groupBits} }
	return &group{ttft: sample(), tpot: sample(), itl: sample(), e2el: sample()}
}

// byTurn groups by the place of a request in its conversation.
func byTurn() *grouper {
	return &grouper{
		most: mostTurns, each: map[groupKey]*group{},
		key:  func(r *row.Request) (groupKey, bool) { return groupKey{number: r.Turn}, r.Turn > 0 },
		over: func(k groupKey, _ int) bool { return k.number > mostTurns },
	}
}

// byAdapter groups by the model that a request named, where it is not the run's.
func byAdapter() *grouper {
	return &grouper{
		most: mostAdapters, each: map[groupKey]*group{},
		key:  func(r *row.Request) (groupKey, bool) { return groupKey{name: r.Model}, r.Model != "" },
		over: func(_ groupKey, groups int) bool { return groups >= mostAdapters },
	}
}

func (g *grouper) add(r *row.Request) {
	key, ok := g.key(r)
	if !ok {
		return
	}
	one := g.each[key]
	switch {
	case one != nil:
	case g.over(key, len(g.each)):
		if g.more == nil {
			g.more = newGroup()
		}
		one = g.more
	default:
		one = newGroup()
		g.each[key] = one
	}
	one.add(r)
}

func (g *group) add(r *row.Request) {
	g.totals.add(&r.Row)
	if !r.Row.OK {
		return
	}
	if !r.Row.Whole {
		g.ttft.Add(r.Row.TTFT())
	}
	g.e2el.Add(r.Row.Latency())
	if v, ok := r.Row.TPOT(); ok {
		g.tpot.Add(v)
	}
	for _, gap := range r.Gaps() {
		g.itl.Add(seconds(gap))
	}
	if r.Row.Counted >= 0 {
		g.lengths.Add(float64(r.Row.Counted))
	}
	g.cached.add(&r.Row)
}

// result is nil where no request has a key.
func (g *grouper) result(r *Result, percentiles []float64) *Groups {
	if len(g.each) == 0 && g.more == nil {
		return nil
	}
	out := &Groups{Bound: g.most}
	for key, one := range g.each {
		out.Each = append(out.Each, one.result(key, r, percentiles))
	}
	slices.SortFunc(out.Each, func(a, b Group) int { return cmp.Or(a.Turn-b.Turn, cmp.Compare(a.Name, b.Name)) })
	if g.more != nil {
		more := g.more.result(groupKey{}, r, percentiles)
		out.More = &more
	}
	return out
}

func (g *group) result(key groupKey, r *Result, percentiles []float64) Group {
	n := &g.totals
	latency := func(s *sample.Sample) GroupLatency { return GroupLatency{summarize(s), askedBeyond(s, percentiles)} }
	out := Group{
		Turn: key.number, Name: key.name, Requests: n.requests, Completed: n.completed, Failed: n.failed(),
		OutputTokens: n.output, OutputThroughput: perSecond(n.output, r.Duration),
		TTFT: latency(g.ttft), TPOT: latency(g.tpot), ITL: latency(g.itl), E2EL: latency(g.e2el), Cached: g.cached,
	}
	if m := &g.lengths; m.N > 0 {
		out.Prompt = PromptLengths{Known: m.N, Mean: m.Mean, Min: int(m.Min), Max: int(m.Max)}
	}
	return out
}

// askedBeyond are the percentiles that were asked for and that no Summary has.
func askedBeyond(s *sample.Sample, percentiles []float64) (list []sample.Percentile) {
	var rest []float64
	for _, p := range percentiles {
		if !slices.Contains([]float64{50, 90, 99, 99.9}, p) && !slices.Contains(rest, p) {
			rest = append(rest, p)
		}
	}
	if len(rest) == 0 || s.N() == 0 {
		return nil
	}
	return s.Stats(rest).Percentiles
}

// All are the groups, More among them as the last.
func (g *Groups) All() []Group {
	if g == nil {
		return nil
	}
	if g.More == nil {
		return g.Each
	}
	return append(slices.Clone(g.Each), *g.More)
}

// Name is what a group is called in a table.
func (g *Groups) Name(one *Group) string {
	switch {
	case one.Turn > 0:
		return strconv.Itoa(one.Turn)
	case one.Name != "":
		return one.Name
	case len(g.Each) > 0 && g.Each[0].Name != "":
		return "others"
	}
	return fmt.Sprintf("above %d", g.Bound)
}

// Amounts is a distribution of what is no duration.
type Amounts struct {
	Count int // of how many it is known
	Mean  float64
	P50   float64
	P90   float64
	P99   float64
	Max   float64
}

// amounts collects one. Values are counted as whole numbers of a unit.
type amounts struct {
	hist hist.Histogram
	unit float64
}

func (a *amounts) add(v float64) { a.hist.Add(int64(v/a.unit + 0.5)) }

func (a *amounts) result() Amounts {
	if a.hist.Count() == 0 {
		return Amounts{}
	}
	m := a.hist.Moments()
	at := func(p float64) float64 { return a.hist.Percentile(p) * a.unit }
	return Amounts{Count: a.hist.Count(), Mean: m.Mean * a.unit, P50: at(50), P90: at(90), P99: at(99), Max: m.Max * a.unit}
}
