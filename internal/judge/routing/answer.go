package routing

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// Entry is one run of one router.
type Entry struct {
	Router  string
	Case    string // what else was varied: routers are compared within it
	Control bool   // nothing is shared
	Repeat  int
	Facts   *Facts // nil: not known
	Result  result.Result
}

// Answer is what a scenario says of its routers.
type Answer struct {
	Cases []*Case `json:"cases"`
}

// Case is one load over which routers are compared.
type Case struct {
	Name    string    `json:"name,omitempty"`
	Routers []*Router `json:"routers"`
	Pairs   []Pair    `json:"pairs"`             // each router against the first, then the others against each other
	Control []Pair    `json:"control,omitempty"` // the same where nothing is shared; nil: there is none
	Ranks   []Rank    `json:"ranks"`
	Checks  []Check   `json:"checks"`

	shared, unique []Entry
}

// Router is one alternative over its repeats.
type Router struct {
	Name     string   `json:"name"`
	Repeats  int      `json:"repeats"`
	Requests int      `json:"requests"`
	Failed   int      `json:"failed"`
	TTFT50   *float64 `json:"ttft_p50_ms,omitempty"` // geometric means over the repeats; nil: not known
	TTFT99   *float64 `json:"ttft_p99_ms,omitempty"`
	Output   *float64 `json:"output_throughput,omitempty"`

	Hits      *float64 `json:"hit_share,omitempty"`             // Σ found ÷ Σ prompt tokens, of all replicas and repeats
	OfBound   *float64 `json:"of_bound,omitempty"`              // what was found, of what no router passes
	Reachable *float64 `json:"reachable_share,omitempty"`       // what a router that knows all has found, as a share of prompt tokens
	Bound     *float64 `json:"bound_share,omitempty"`           // what no router passes, as a share of prompt tokens
	Busiest   *float64 `json:"busiest_over_mean,omitempty"`     // requests
	Variation *float64 `json:"replica_variation,omitempty"`     // standard deviation ÷ mean of the replicas' requests
	Elsewhere *float64 `json:"same_prefix_elsewhere,omitempty"` // of requests whose beginning was sent before: another replica had it

	shares map[int]float64 // of hits, by repeat
}

// The metrics that decide, by their keys in results, and the share of hits.
const (
	TTFT50     = "median_ttft_ms"
	TTFT99     = "p99_ttft_ms"
	Throughput = "output_throughput"
	HitShare   = "hit_share"
)

// Metrics are those that routers are compared by.
func Metrics() []string { return []string{TTFT50, TTFT99, Throughput} }

// Pair is one router against another.
type Pair struct {
	Than    string                     `json:"than"`
	Router  string                     `json:"router"`
	Changes map[string]*compare.Change `json:"changes"`        // by metric; one that is missing is not known
	Hits    *Difference                `json:"hits,omitempty"` // of hit shares; nil: not known
}

// Difference is one of two shares, over repeats with the same prompts.
type Difference struct {
	Value   float64 `json:"value"`
	Bounded bool    `json:"bounded"` // there are two repeats or more
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// Real says that it is no chance.
func (d *Difference) Real() bool { return d != nil && d.Bounded && (d.Low > 0 || d.High < 0) }

// Rank is the order of routers by a metric, the best first. Apart says of each but the last whether the next is worse beyond noise.
type Rank struct {
	Metric string   `json:"metric"`
	Order  []string `json:"order"`
	Apart  []bool   `json:"apart"`
}

// level is that of intervals.
const level = 0.95

// Judge compares the routers of a scenario. The order of entries is that of the file: the first router is what others are held against.
func Judge(list []Entry) *Answer {
	out := &Answer{}
	byName := map[string]*Case{}
	for _, e := range list {
		c := byName[e.Case]
		if c == nil {
			c = &Case{Name: e.Case}
			byName[e.Case] = c
			out.Cases = append(out.Cases, c)
		}
		if e.Control {
			c.unique = append(c.unique, e)
		} else {
			c.shared = append(c.shared, e)
		}
	}
	for _, c := range out.Cases {
		c.Routers = routersOf(c.shared)
		c.reached()
		c.Pairs = pairsOf(c.shared, c.Routers, len(out.Cases))
		if len(c.unique) > 0 {
			c.Control = pairsOf(c.unique, routersOf(c.unique), len(out.Cases))
		}
		for _, m := range append(Metrics(), HitShare) {
			if r, ok := c.rank(m); ok {
				c.Ranks = append(c.Ranks, r)
			}
		}
		c.Checks = c.checks()
	}
	return out
}

// reached: what one of the routers has found, another one can.
func (c *Case) reached() {
	most := 0.0
	for _, r := range c.Routers {
		if r.Hits != nil {
			most = max(most, *r.Hits)
		}
	}
	for _, r := range c.Routers {
		if r.Reachable != nil && r.Bound != nil {
			r.Reachable = of(max(*r.Reachable, min(most, *r.Bound)))
		}
	}
}

func routersOf(list []Entry) (out []*Router) {
	runs := map[string][]Entry{}
	for _, e := range list {
		if runs[e.Router] == nil {
			out = append(out, &Router{Name: e.Router, shares: map[int]float64{}})
		}
		runs[e.Router] = append(runs[e.Router], e)
	}
	for _, r := range out {
		r.sum(runs[r.Name])
	}
	return out
}

// sum puts the repeats of a router together.
func (r *Router) sum(runs []Entry) {
	r.Repeats = len(runs)
	r.TTFT50, r.TTFT99, r.Output = geometric(runs, TTFT50), geometric(runs, TTFT99), geometric(runs, Throughput)
	var hits, ideal Hits
	bound, reachable, reaches := int64(0), int64(0), true
	whole, planned, repeated, elsewhere := true, true, 0, 0
	var busiest, variation []float64
	for _, e := range runs {
		f := e.Facts
		if f == nil {
			whole, planned = false, false
			continue
		}
		r.Requests, r.Failed = r.Requests+f.Requests, r.Failed+f.Failed
		share, ok := f.Hits.Share()
		if whole = whole && ok; ok {
			r.shares[e.Repeat] = share
			hits = Hits{hits.Found + f.Hits.Found, hits.Of + f.Hits.Of, f.Hits.By}
		}
		if o := f.Optimum; o == nil || o.Of == 0 {
			planned = false
		} else {
			bound += o.Bound
			ideal = Hits{ideal.Found + o.Bound, ideal.Of + o.Of, "plan"}
			if reaches = reaches && o.Reachable != nil; reaches {
				reachable += *o.Reachable
			}
		}
		if b, v, ok := f.Skew(); ok && f.Unnamed == 0 {
			busiest, variation = append(busiest, b), append(variation, v)
		}
		repeated, elsewhere = repeated+f.Repeated, elsewhere+f.Elsewhere
	}
	if share, ok := hits.Share(); ok && whole {
		r.Hits = &share
	}
	if share, ok := ideal.Share(); ok && planned {
		r.Bound = &share
		if reaches {
			r.Reachable = of(float64(reachable) / float64(ideal.Of))
		}
		if r.Hits != nil && share > 0 {
			r.OfBound = of(*r.Hits / share)
		}
	}
	if len(busiest) == len(runs) {
		r.Busiest, r.Variation = of(stats.Mean(busiest)), of(stats.Mean(variation))
	}
	if repeated > 0 {
		r.Elsewhere = of(float64(elsewhere) / float64(repeated))
	}
}

func of(v float64) *float64 { return &v }

// geometric is the mean of a metric over the runs; nil: not all have it.
func geometric(runs []Entry, key string) *float64 {
	sum := 0.0
	for _, e := range runs {
		v, ok := e.Result.Values[key]
		if !ok || v <= 0 {
			return nil
		}
		sum += math.Log(v)
	}
	return of(math.Exp(sum / float64(len(runs))))
}

// pairsOf compares each two routers.
func pairsOf(list []Entry, routers []*Router, cases int) (out []Pair) {
	sides := map[string]*compare.Side{}
	for _, e := range list {
		if sides[e.Router] == nil {
			sides[e.Router] = &compare.Side{Name: e.Router}
		}
		sides[e.Router].Runs = append(sides[e.Router].Runs, e.Result)
	}
	tables := cases * len(routers) * (len(routers) - 1) / 2
	for i, a := range routers {
		for _, b := range routers[i+1:] {
			p := Pair{Than: a.Name, Router: b.Name, Changes: map[string]*compare.Change{}, Hits: difference(a.shares, b.shares)}
			c, err := compare.Compare([]compare.Side{*sides[a.Name], *sides[b.Name]}, compare.Options{Metrics: Metrics(), Tables: tables})
			if err == nil {
				for _, row := range c.Rows {
					if ch := row.Cells[1].Change; ch != nil {
						p.Changes[row.Metric.Key] = ch
					}
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// difference is that of b and a over the repeats that both have. The prompts of a repeat are the same, so that pairs are held together.
func difference(a, b map[int]float64) *Difference {
	var all stats.Moments
	for _, repeat := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[repeat]; ok {
			all.Add(v - a[repeat])
		}
	}
	if all.N == 0 {
		return nil
	}
	d := &Difference{Value: all.Mean, Low: all.Mean, High: all.Mean}
	if all.N > 1 {
		half := stats.StudentQuantile(1-(1-level)/2, float64(all.N-1)) * math.Sqrt(all.Variance()/float64(all.N))
		d.Bounded, d.Low, d.High = true, all.Mean-half, all.Mean+half
	}
	return d
}

// pair is that of two routers, whichever is first; nil: there is none.
func (c *Case) pair(a, b string) *Pair {
	for i := range c.Pairs {
		switch p := &c.Pairs[i]; {
		case p.Than == a && p.Router == b, p.Than == b && p.Router == a:
			return p
		}
	}
	return nil
}

// rank orders the routers by a metric; false: not all have it.
func (c *Case) rank(metric string) (Rank, bool) {
	value := func(r *Router) *float64 {
		switch metric {
		case TTFT50:
			return r.TTFT50
		case TTFT99:
			return r.TTFT99
		case Throughput:
			return r.Output
		}
		return r.Hits
	}
	list := slices.Clone(c.Routers)
	for _, r := range list {
		if value(r) == nil {
			return Rank{}, false
		}
	}
	more := metric == Throughput || metric == HitShare
	slices.SortStableFunc(list, func(a, b *Router) int {
		if more {
			a, b = b, a
		}
		return cmp.Compare(*value(a), *value(b))
	})
	out := Rank{Metric: metric}
	for i, r := range list {
		out.Order = append(out.Order, r.Name)
		if i == 0 {
			continue
		}
		p := c.pair(list[i-1].Name, r.Name)
		apart := p != nil && (metric == HitShare && p.Hits.Real() || p.Changes[metric] != nil && p.Changes[metric].Call == compare.Real)
		out.Apart = append(out.Apart, apart)
	}
	return out, len(list) > 1
}
