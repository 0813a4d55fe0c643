package slo

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// GiveUp watches a probe of a search and ends it when the SLO can't be met any
// more. It is a load.Watch. It gives up only where the answer is plain: close to the
// edge a probe is worth more whole.
//
// A percentile allows a share of all values to be over its limit. The probe is given
// up when three times as many are as the whole probe allows, and ten more: of 1,000
// requests, 40 over the limit of a p99. How many values the whole probe will have is
// foretold from its length and what there is so far. The start of the probe does not
// count, as it does not in the numbers of a search (measure.SettledFrom).
type GiveUp struct {
	rules    row.Rules
	clauses  []watchedClause
	rate     float64 // of an open loop; 0: a closed one
	slots    int     // of a closed loop
	duration int64

	mu      sync.Mutex
	ended   []int64 // when
	counted int     // without those of the start
	failed  int
	first   int64 // what the first one took
	why     string
}

// watchedClause is a clause that can be lost before the end.
type watchedClause struct {
	text    string
	value   func(*row.Row) (v float64, ok bool) // nil: gaps
	mean    bool
	allowed float64 // share of the values that may be over the limit
	limit   float64 // seconds; of failures, a share or a number of requests
	kind    clauseKind

	seen, over int
	sum        float64
}

type clauseKind int

const (
	ofValues clauseKind = iota
	ofFailedShare
	ofFailedCount
)

const (
	surely      = 3   // times what is allowed
	andMore     = 10  // values over the limit
	leastEnded  = 20  // before which nothing is foretold
	leastCame   = 100 // before which a backlog may be chance
	backlogSpan = 6   // times the first request's latency, before which a backlog is only a start
)

// NewGiveUp watches a run of this length. Clauses that can't be lost before the end,
// such as a least throughput, are left to the result.
func NewGiveUp(run *journal.Options, objective SLO, duration time.Duration) *GiveUp {
	g := &GiveUp{rules: row.NewRules(run, run.Compat), rate: run.RequestRate, duration: int64(duration)}
	if g.rate == 0 {
		g.slots = run.MaxConcurrency
	}
	for _, c := range objective {
		if w, ok := watchClause(c); ok {
			g.clauses = append(g.clauses, w)
		}
	}
	return g
}

func watchClause(c condition.Clause) (w watchedClause, ok bool) {
	n, ok := c.Name()
	if !ok || c.AtLeast() {
		return w, false
	}
	w = watchedClause{text: c.String(), limit: c.Limit}
	switch c.Metric {
	case "failed":
		w.kind = ofFailedCount
		return w, true
	case "failed" + metric.ShareSuffix:
		w.kind = ofFailedShare
		return w, true
	}
	if !n.Metric.Reported() || n.Metric.Scope == metric.PerJob {
		return w, false
	}
	w.limit, w.value = w.limit/1000, n.Metric.Of
	p, ok := n.Statistic.Percentile()
	w.mean, w.allowed = n.Statistic == metric.Mean, 1-p/100
	return w, ok || w.mean
}

// Ended takes in a request.
func (g *GiveUp) Ended(req *journal.Request) bool {
	r, err := g.rules.Read(req)
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = append(g.ended, req.End)
	if len(g.ended) == 1 {
		g.first = req.End - req.Sent
	}
	if !r.OK {
		g.failed++
	}
	if req.Index >= g.slots && req.Sent >= g.duration/10 {
		g.counted++
		for i := range g.clauses {
			g.clauses[i].add(req, &r)
		}
	}
	if len(g.ended) >= leastEnded && g.why == "" {
		g.why = g.lost(req.End)
	}
	return g.why != ""
}

// Judge says why the probe is given up.
func (g *GiveUp) Judge() (stop string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.why
}

func (w *watchedClause) add(req *journal.Request, r *row.Row) {
	if w.kind != ofValues || !r.OK {
		return
	}
	if w.value != nil {
		if v, ok := w.value(r); ok {
			w.one(v)
		}
		return
	}
	row.EachGap(req, func(_, gap int64, first bool) {
		if !first {
			w.one(row.Seconds(gap))
		}
	})
}

func (w *watchedClause) one(v float64) {
	w.seen++
	w.sum += v
	if v > w.limit {
		w.over++
	}
}

// lost says which clause can't be met any more.
func (g *GiveUp) lost(now int64) string {
	planned := g.planned(now)
	toCount := planned - float64(len(g.ended)-g.counted)
	for i := range g.clauses {
		w := &g.clauses[i]
		values := float64(w.seen) / float64(max(g.counted, 1)) * toCount
		switch {
		case w.kind != ofValues:
			most := w.limit
			if w.kind == ofFailedShare {
				most *= planned
			}
			if float64(g.failed) > surely*most+andMore {
				return fmt.Sprintf("%s can't be met: %d of %d requests have failed", w.text, g.failed, len(g.ended))
			}
		case w.mean && w.seen > andMore && w.sum > surely*w.limit*values:
			return fmt.Sprintf("%s can't be met: the sum of %d values is already that of all", w.text, w.seen)
		case !w.mean && float64(w.over) > min(surely*w.allowed, (1+w.allowed)/2)*values+andMore:
			return fmt.Sprintf("%s can't be met: %d of %d values are over the limit", w.text, w.over, w.seen)
		}
	}
	return g.backlog(now)
}

// planned is how many requests the whole probe will have.
func (g *GiveUp) planned(now int64) float64 {
	if g.rate > 0 {
		return max(g.rate*row.Seconds(g.duration), float64(len(g.ended)))
	}
	return float64(len(g.ended)) * max(float64(g.duration)/float64(max(now, 1)), 1)
}

// backlog says that an open loop's queue grows without bound: in the later half of
// the time so far the server has ended less than half of what came.
func (g *GiveUp) backlog(now int64) string {
	if g.rate == 0 || now < max(backlogSpan*g.first, g.duration/4) {
		return ""
	}
	half := now / 2
	at, _ := slices.BinarySearch(g.ended, half)
	came, done := g.rate*row.Seconds(now-half), float64(len(g.ended)-at)
	if came < leastCame || done > came/2 {
		return ""
	}
	return fmt.Sprintf("the queue grows without bound: %.0f requests came in %.1f s and %.0f were ended", came, row.Seconds(now-half), done)
}
