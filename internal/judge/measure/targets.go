package measure

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// Targets is what was measured of several servers that were loaded as one: each by
// itself, and how far they lie apart. Its throughputs are over the whole run's
// duration, so that they add up to the run's.
type Targets struct {
	Balance string // the rule by which requests were spread
	Each    []TargetResult
	Skew    TargetSkew
}

// TargetResult is one of several servers. Latencies are of its successes, from sent.
type TargetResult struct {
	URL               string
	Requests          int
	Share             float64 // of all measured requests
	Completed, Failed int
	Outcomes          []OutcomeCount
	InputTokens       int64
	OutputTokens      int64
	RequestThroughput float64
	OutputThroughput  float64
	PeakConcurrency   int // requests of ours that it had at one moment
	TTFT, TPOT, E2EL  Summary
}

// TargetSkew is how far the servers lie apart. Latencies are means, of the servers
// that have any.
type TargetSkew struct {
	RequestThroughput Skew `json:"request_throughput"`
	OutputThroughput  Skew `json:"output_throughput"`
	TTFT              Skew `json:"mean_ttft"`
	TPOT              Skew `json:"mean_tpot"`
	E2EL              Skew `json:"mean_e2el"`
}

// Skew compares a number over the servers. A field is nil where it does not exist:
// fewer than two values, or a division by zero.
type Skew struct {
	MaxOverMin *float64 `json:"max_over_min"`
	CV         *float64 `json:"cv"` // coefficient of variation: standard deviation / mean
}

func skewOf(values []float64) (s Skew) {
	if len(values) < 2 {
		return s
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low > 0 {
		ratio := high / low
		s.MaxOverMin = &ratio
	}
	if m := stats.Mean(values); m > 0 {
		cv := stats.Std(values) / m
		s.CV = &cv
	}
	return s
}

// tally takes in the requests of one server. Its memory is bounded as the run's is:
// a share of the rows' limit exactly, then histograms and counts in time.
type tally struct {
	totals           totals
	outcomes         map[journal.Outcome]int
	ttft, tpot, e2el *sample.Sample
	limit            int
	starts, ends     []int64 // of the requests, as long as they are not too many
	open             *counts // then
}

// tallySlots is how many slots a server's requests in time have: half a megabyte.
const tallySlots = 1 << 14

func newTallies(run *journal.Run, opt *Options) []*tally {
	if len(run.Targets) < 2 {
		return nil
	}
	limit := max(opt.RowLimit/len(run.Targets), 1)
	list := make([]*tally, len(run.Targets))
	for i := range list {
		list[i] = &tally{
			outcomes: map[journal.Outcome]int{}, limit: limit,
			ttft: sample.New(limit), tpot: sample.New(limit), e2el: sample.New(limit),
		}
	}
	return list
}

// tallyOf is the tally of a request's server; nil in a run against one.
func (c *collector) tallyOf(req *journal.Request) (*tally, error) {
	if c.tallies == nil {
		return nil, nil
	}
	if req.Target < 0 || req.Target >= len(c.tallies) {
		return nil, fmt.Errorf("journal: request %d went to target %d, and the run has %d", req.Index, req.Target, len(c.tallies))
	}
	return c.tallies[req.Target], nil
}

func (t *tally) add(req *journal.Request, r *row.Row) {
	t.totals.add(r)
	t.outcomes[req.Outcome]++
	t.addOpen(r.Sent, r.End)
	if !r.OK {
		return
	}
	if !r.Whole {
		t.ttft.Add(r.TTFT())
	}
	t.e2el.Add(r.Latency())
	if v, ok := r.TPOT(); ok {
		t.tpot.Add(v)
	}
}

func (t *tally) addOpen(from, to int64) {
	if t.open == nil {
		if to > from { // one of no length would close before it opens
			t.starts, t.ends = append(t.starts, from), append(t.ends, to)
		}
		if len(t.starts) <= t.limit {
			return
		}
		starts, ends := t.starts, t.ends
		t.starts, t.ends, t.open = nil, nil, newCounts(tallySlots)
		for i := range starts {
			t.addOpen(starts[i], ends[i])
		}
		return
	}
	t.open.At(from).opened++
	t.open.At(to).closed++
}

// peak is exact while the requests are few, else the most at the end of a slot.
func (t *tally) peak() int {
	if t.open == nil {
		return peakOf(t.starts, t.ends)
	}
	atLeast, _ := t.open.peakOpen()
	return atLeast
}

// targets is nil in a run against one server.
func (c *collector) targets(r *Result) *Targets {
	if c.tallies == nil {
		return nil
	}
	out := &Targets{Balance: c.run.Options.Balance}
	for i, t := range c.tallies {
		n := &t.totals
		out.Each = append(out.Each, TargetResult{
			URL: c.run.Targets[i].URL, Requests: n.requests, Share: ratio(int64(n.requests), int64(r.Requests)),
			Completed: n.completed, Failed: n.requests - n.completed, Outcomes: outcomeCounts(t.outcomes),
			InputTokens: n.input, OutputTokens: n.output,
			RequestThroughput: perSecond(n.completed, r.Duration), OutputThroughput: perSecond(n.output, r.Duration),
			PeakConcurrency: t.peak(), TTFT: summarize(t.ttft), TPOT: summarize(t.tpot), E2EL: summarize(t.e2el),
		})
	}
	out.Skew = TargetSkew{
		RequestThroughput: out.skew(func(t *TargetResult) (float64, bool) { return t.RequestThroughput, true }),
		OutputThroughput:  out.skew(func(t *TargetResult) (float64, bool) { return t.OutputThroughput, true }),
		TTFT:              out.skew(func(t *TargetResult) (float64, bool) { return t.TTFT.Mean, t.TTFT.Count > 0 }),
		TPOT:              out.skew(func(t *TargetResult) (float64, bool) { return t.TPOT.Mean, t.TPOT.Count > 0 }),
		E2EL:              out.skew(func(t *TargetResult) (float64, bool) { return t.E2EL.Mean, t.E2EL.Count > 0 }),
	}
	return out
}

func (t *Targets) skew(of func(*TargetResult) (v float64, ok bool)) Skew {
	var values []float64
	for i := range t.Each {
		if v, ok := of(&t.Each[i]); ok {
			values = append(values, v)
		}
	}
	return skewOf(values)
}
