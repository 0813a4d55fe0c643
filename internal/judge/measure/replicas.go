package measure

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/stats"
)

// Replicas is what was measured of several servers that were loaded as one, by ourselves or by a router: each by
// itself, and how far they lie apart. Throughputs are over the whole run's duration, so that they add up to the run's.
type Replicas struct {
	Balance    string          // the rule by which we spread requests; empty: somebody else did
	Each       []ReplicaResult // that answer requests
	Prefillers []ReplicaResult // that only compute prompts: of a request which they worked on, another one answered
	More       *ReplicaResult  // those beyond replica.Max together; nil: there are none
	Unknown    *ReplicaResult  // requests of which nobody said who answered; nil: there are none

	Load     replica.Load
	LoadBy   LoadSource
	Skew     PartSkew
	Affinity *replica.Affinity // nil: no requests belong together, or nobody knows where they went
}

// LoadSource is who says how many requests each replica got.
type LoadSource string

// The sources. Counters are those of the replicas themselves, where answers do not tell.
const (
	ByAnswers  LoadSource = "answers"
	ByCounters LoadSource = "counters"
	ByNobody   LoadSource = ""
)

// ReplicaResult is one of several servers. Latencies are of its successes, from sent.
type ReplicaResult struct {
	replica.Replica
	Requests          int
	Share             float64 // of all measured requests
	Completed, Failed int
	HungUp            int // that this client ended on purpose: neither of the two
	Outcomes          []OutcomeCount
	InputTokens       int64
	OutputTokens      int64
	RequestThroughput float64
	OutputThroughput  float64
	PeakConcurrency   int // requests of ours that it had at one moment
	TTFT, TPOT, E2EL  Summary
	Cached            Cached
	Retries           int      // how often a gateway says that it had to send its requests again
	First, Last       *float64 // seconds: when its first answered request was sent, and its last one ended; nil: it answered none

	Own *serving.Server // what it says of itself; nil: nothing
}

// PartSkew is how far the parts of a run lie apart: servers, or clients. Latencies are means, of the parts
// that have any.
type PartSkew struct {
	RequestThroughput Skew `json:"request_throughput"`
	OutputThroughput  Skew `json:"output_throughput"`
	TTFT              Skew `json:"mean_ttft"`
	TPOT              Skew `json:"mean_tpot"`
	E2EL              Skew `json:"mean_e2el"`
}

// Skew compares a number over the parts. A field is nil where it does not exist:
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
	cached           Cached
	retries          int
	answered         bool // it has a first and a last:
	first, last      int64
	limit            int
	starts, ends     []int64 // of the requests, as long as they are not too many
	open             *counts // then
}

// tallySlots is how many slots a server's requests in time have: half a megabyte.
const tallySlots = 1 << 14

// tallies are those of all replicas, by their numbers.
type tallies struct {
	names           *replica.Names
	followed        *replica.Followed
	targets, limit  int
	each            []*tally
	prefilled       []*tally
	unknown, others *tally
}

// shareOf is how many parts the limit of rows is divided by where nobody knows how many replicas there will be.
const shareOf = 16

func newTallies(run *journal.Run, opt *Options) *tallies {
	known := max(len(run.Targets), len(run.Replicas), shareOf)
	if len(run.Targets) > 1 && len(run.Replicas) == 0 {
		known = len(run.Targets)
	}
	return &tallies{
		names: replica.NewNames(run), followed: replica.NewFollowed(),
		targets: max(len(run.Targets), 1), limit: max(opt.RowLimit/min(known, replica.Max), 1),
	}
}

// at is the tally of a replica's number. Of requests of which nobody said who answered it only counts: in most runs they are all,
// and their latencies are the run's.
func (s *tallies) at(list *[]*tally, number int) *tally {
	to := &s.unknown
	if number == replica.Others {
		to = &s.others
	}
	if number >= 0 {
		for len(*list) <= number {
			*list = append(*list, nil)
		}
		to = &(*list)[number]
	}
	if *to == nil {
		*to = &tally{outcomes: map[journal.Outcome]int{}}
		if one := *to; number != replica.Unknown {
			one.limit, one.ttft, one.tpot, one.e2el = s.limit, sample.New(s.limit), sample.New(s.limit), sample.New(s.limit)
		}
	}
	return *to
}

func (s *tallies) add(r *row.Request) error {
	if r.Target < 0 || r.Target >= s.targets {
		return fmt.Errorf("journal: request %d went to target %d, and the run has %d", r.Index, r.Target, s.targets)
	}
	number := s.names.Of(r.Request)
	s.followed.Add(r.Request, number)
	s.at(&s.each, number).add(r)
	if by := s.names.Prefiller(r.Request); by >= 0 {
		s.at(&s.prefilled, by).add(r)
	}
	return nil
}

func (t *tally) add(r *row.Request) {
	one := &r.Row
	t.totals.add(one)
	t.outcomes[r.Outcome]++
	t.retries += r.Retries
	if t.limit > 0 {
		t.addOpen(one.Sent, one.End)
	}
	if !one.OK {
		return
	}
	if !t.answered {
		t.answered, t.first, t.last = true, one.Sent, one.End
	}
	t.first, t.last = min(t.first, one.Sent), max(t.last, one.End)
	t.cached.add(one)
	if t.limit == 0 {
		return
	}
	if !one.Whole {
		t.ttft.Add(one.TTFT())
	}
	t.e2el.Add(one.Latency())
	if v, ok := one.TPOT(); ok {
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

// result is what one replica did; nil gives one that did nothing.
func (t *tally) result(of replica.Replica, r *Result) ReplicaResult {
	out := ReplicaResult{Replica: of}
	if t == nil {
		return out
	}
	n, hungUp := &t.totals, t.outcomes[journal.HungUp]
	out.Requests, out.Share = n.requests, ratio(int64(n.requests), int64(r.Requests))
	out.Completed, out.HungUp, out.Failed = n.completed, hungUp, n.requests-n.completed-hungUp
	out.Outcomes, out.InputTokens, out.OutputTokens = outcomeCounts(t.outcomes), n.input, n.output
	out.RequestThroughput, out.OutputThroughput = perSecond(n.completed, r.Duration), perSecond(n.output, r.Duration)
	out.Retries, out.Cached = t.retries, t.cached
	if t.limit > 0 {
		out.PeakConcurrency, out.TTFT, out.TPOT, out.E2EL = t.peak(), summarize(t.ttft), summarize(t.tpot), summarize(t.e2el)
	}
	if t.answered {
		out.First, out.Last = new(seconds(t.first)), new(seconds(t.last))
	}
	return out
}

// replicas is nil in a run against one server of which nobody knows more.
func (c *collector) replicas(r *Result) *Replicas {
	s := c.tallies
	if s.names.Len() == 0 {
		return nil
	}
	out := &Replicas{Balance: c.run.Options.Balance}
	at := func(list []*tally, i int) *tally {
		if i >= len(list) {
			return nil
		}
		return list[i]
	}
	for i := range s.names.Len() {
		one, answers := *s.names.At(i), at(s.each, i)
		if p := at(s.prefilled, i); p != nil || one.Role == journal.Prefill && answers == nil {
			out.Prefillers = append(out.Prefillers, p.result(one, r))
			if answers == nil {
				continue
			}
		}
		if answers == nil && s.names.Router(i) {
			continue
		}
		out.Each = append(out.Each, answers.result(one, r))
	}
	if s.others != nil {
		out.More = new(s.others.result(replica.Replica{Name: s.names.Name(replica.Others)}, r))
	}
	if s.unknown != nil {
		out.Unknown = new(s.unknown.result(replica.Replica{Name: s.names.Name(replica.Unknown)}, r))
	}
	out.Skew = skewOfParts(len(out.Each), func(i int) *Part { return out.Each[i].part() })
	out.Affinity = s.followed.Result(out.shares())
	return out
}

// Named says that some answers tell who gave them. Else what each replica answered is not known, and its requests are no 0.
func (p *Replicas) Named() bool {
	return p.Unknown == nil || p.More != nil || slices.ContainsFunc(p.Each, func(e ReplicaResult) bool { return e.Requests > 0 })
}

// shares are those of the replicas in what they answered.
func (p *Replicas) shares() []float64 {
	sum, list := 0, []float64{}
	for i := range p.Each {
		sum += p.Each[i].Requests
	}
	for i := range p.Each {
		if sum > 0 {
			list = append(list, float64(p.Each[i].Requests)/float64(sum))
		}
	}
	return list
}

// told adds what replicas say of themselves, and then says how evenly they were loaded: by the answers where (nearly)
// all of them tell who answered, else by the replicas' own counters.
func (p *Replicas) told(s *serving.Summary) {
	if p == nil {
		return
	}
	for _, list := range [][]ReplicaResult{p.Each, p.Prefillers} {
		for i := range list {
			list[i].Own = ownOf(s, &list[i].Replica)
		}
	}
	named, all := 0, 0
	var answered, counted []float64
	for i := range p.Each {
		e := &p.Each[i]
		named += e.Requests
		answered = append(answered, float64(e.Requests))
		if e.Own != nil && e.Own.Requests != nil && e.Own.Restarted == "" && !e.Own.Cut {
			counted = append(counted, e.Own.Requests.Server)
		}
	}
	all = named
	for _, rest := range []*ReplicaResult{p.Unknown, p.More} {
		if rest != nil {
			all += rest.Requests
		}
	}
	switch {
	case p.More == nil && enough(named, all):
		p.LoadBy, p.Load = ByAnswers, replica.LoadOf(answered)
	case len(counted) == len(p.Each):
		p.LoadBy, p.Load = ByCounters, replica.LoadOf(counted)
	}
}

// ownOf is what a replica says of itself; nil: nothing.
func ownOf(s *serving.Summary, r *replica.Replica) *serving.Server {
	if s == nil {
		return nil
	}
	for i := range s.Each {
		one := &s.Each[i]
		listed, sentTo := one.Replica > 0 && one.Replica == r.Listed, one.Replica == 0 && one.Target == r.Target-1
		if (listed || sentTo) && !one.Empty() {
			return one
		}
	}
	return nil
}

// Part is a server or a client of a run beside the others.
type Part struct {
	RequestThroughput, OutputThroughput float64
	TTFT, TPOT, E2EL                    *Summary
}

func (e *ReplicaResult) part() *Part {
	return &Part{e.RequestThroughput, e.OutputThroughput, &e.TTFT, &e.TPOT, &e.E2EL}
}

func skewOfParts(n int, at func(int) *Part) PartSkew {
	of := func(value func(*Part) float64) Skew {
		var values []float64
		for i := range n {
			if v := value(at(i)); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		return skewOf(values)
	}
	mean := func(s *Summary) float64 {
		if s.Count == 0 {
			return math.NaN()
		}
		return s.Mean
	}
	return PartSkew{
		RequestThroughput: of(func(p *Part) float64 { return p.RequestThroughput }),
		OutputThroughput:  of(func(p *Part) float64 { return p.OutputThroughput }),
		TTFT:              of(func(p *Part) float64 { return mean(p.TTFT) }),
		TPOT:              of(func(p *Part) float64 { return mean(p.TPOT) }),
		E2EL:              of(func(p *Part) float64 { return mean(p.E2EL) }),
	}
}
