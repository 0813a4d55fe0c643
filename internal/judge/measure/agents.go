package measure

import (
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// Agents is what was measured of a fleet: each client by itself, how far they lie apart, and
// what became of the list of requests. Throughputs are over the whole run's duration, so
// that they add up to the run's.
type Agents struct {
	Run string // its name on the bus
	// Planned is the whole list; 0: not known. It is the sum of the next five.
	Planned, Completed, Failed int
	Lost, Unsent               int
	HungUp                     int // ended by the client on purpose
	Skipped                    int // turns whose conversation had ended before
	Each                       []AgentResult
	Skew                       PartSkew
	StartSpread                *float64 // ms from the first that began to the last; nil: fewer than two are known
	OffsetError                *float64 // ms: the largest; nil: not all are known
}

// AgentResult is one client. Latencies are of its successes, from sent.
type AgentResult struct {
	Title             string // its name, and its id where two have the same
	Agent             *journal.FleetAgent
	Requests          int // that it measured
	Completed, Failed int // the lost are not among the failed here
	Lost, Unsent      int
	Refused           int // lines of its journal that were left out: of others, or twice
	Outcomes          []OutcomeCount
	OutputTokens      int64
	RequestThroughput float64
	OutputThroughput  float64
	TTFT, TPOT, E2EL  Summary
	Cost              *Cost // nil: its journal has no end
}

// Labels are the agent's, in order, as in "gpu=none, region=eu".
func (a *AgentResult) Labels() string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(a.Agent.Labels)) {
		words = append(words, k+"="+a.Agent.Labels[k])
	}
	return strings.Join(words, ", ")
}

// mostAgents is how many have latencies by themselves. A journal may list more, and then
// its size is no measure of the memory that they would take.
const mostAgents = 1000

// agentTally takes in the requests of one client.
type agentTally struct {
	totals           totals
	outcomes         map[journal.Outcome]int
	ttft, tpot, e2el *sample.Sample
}

func newAgentTallies(run *journal.Run) []agentTally {
	if run.Fleet == nil {
		return nil
	}
	list := make([]agentTally, len(run.Fleet.Agents))
	for i := range list {
		list[i].outcomes = map[journal.Outcome]int{}
		if i < mostAgents {
			g := newGroup()
			list[i].ttft, list[i].tpot, list[i].e2el = g.ttft, g.tpot, g.e2el
		}
	}
	return list
}

func (c *collector) agentOf(r *journal.Request) *agentTally {
	if r.Agent < 0 || r.Agent >= len(c.agents) {
		return nil
	}
	return &c.agents[r.Agent]
}

func (t *agentTally) add(r *row.Request) {
	t.totals.add(&r.Row)
	t.outcomes[r.Outcome]++
	if !r.Row.OK || t.ttft == nil {
		return
	}
	if !r.Row.Whole {
		t.ttft.Add(r.Row.TTFT())
	}
	t.e2el.Add(r.Row.Latency())
	if v, ok := r.Row.TPOT(); ok {
		t.tpot.Add(v)
	}
}

// Missing takes in a request of which nothing is known but that it was planned. One that is
// lost has failed; one that was not sent is no request.
func (c *collector) Missing(r *journal.Request) error {
	if r.Outcome == journal.Lost {
		c.lost++
	} else {
		c.unsent++
	}
	c.outcomes[r.Outcome]++
	c.errors.add(r.Outcome, r.Error)
	if t := c.agentOf(r); t != nil {
		t.outcomes[r.Outcome]++
	}
	return nil
}

// missing adds what is lost to the result: it was to be measured, and has failed.
func (c *collector) missing(r *Result) {
	r.Lost, r.Unsent = c.lost, c.unsent
	r.Requests += c.lost
	r.Failed += c.lost
}

// fleet is nil in a run of one client.
func (c *collector) fleet(r *Result, end *journal.End) *Agents {
	f := c.run.Fleet
	if f == nil {
		return nil
	}
	out := &Agents{Run: f.Run, Planned: f.Planned, Completed: r.Completed, Failed: r.Failed - r.Lost, Lost: r.Lost, Unsent: r.Unsent, HungUp: r.HungUp}
	ends := make([]journal.FleetAgentEnd, len(f.Agents))
	if end != nil && end.Fleet != nil {
		out.Skipped = end.Fleet.Skipped
		copy(ends, end.Fleet.Agents)
	}
	titles := f.Titles()
	for i := range c.agents {
		out.Each = append(out.Each, c.agents[i].result(r, &f.Agents[i], &ends[i], titles[i]))
	}
	out.Skew = skewOfParts(len(out.Each), func(i int) *Part {
		e := &out.Each[i]
		return &Part{e.RequestThroughput, e.OutputThroughput, &e.TTFT, &e.TPOT, &e.E2EL}
	})
	out.clocks(f)
	return out
}

// clocks says how far apart the clients began, and how well their clocks are known.
func (a *Agents) clocks(f *journal.Fleet) {
	first, last, worst, n, unknown := int64(0), int64(0), int64(0), 0, false
	for i := range f.Agents {
		one := &f.Agents[i]
		if !one.Read {
			continue
		}
		if n == 0 {
			first, last = one.SkewNs, one.SkewNs
		}
		first, last = min(first, one.SkewNs), max(last, one.SkewNs)
		worst, unknown = max(worst, one.OffsetErrorNs), unknown || one.OffsetErrorNs < 0
		n++
	}
	if n > 0 && !unknown {
		v := seconds(worst) * 1000
		a.OffsetError = &v
	}
	if n > 1 {
		v := seconds(last-first) * 1000
		a.StartSpread = &v
	}
}

func (t *agentTally) result(r *Result, a *journal.FleetAgent, end *journal.FleetAgentEnd, title string) AgentResult {
	n := &t.totals
	summary := func(s *sample.Sample) Summary {
		if s == nil {
			return Summary{}
		}
		return summarize(s)
	}
	out := AgentResult{
		Title: title, Agent: a, Requests: n.requests, Completed: n.completed, Failed: n.failed(),
		Lost: t.outcomes[journal.Lost], Unsent: t.outcomes[journal.Unsent], Refused: end.Duplicates + end.Foreign,
		Outcomes: outcomeCounts(t.outcomes), OutputTokens: n.output,
		RequestThroughput: perSecond(n.completed, r.Duration), OutputThroughput: perSecond(n.output, r.Duration),
		TTFT: summary(t.ttft), TPOT: summary(t.tpot), E2EL: summary(t.e2el),
	}
	if end.Ended {
		out.Cost = costOf(&end.Client, a.Environment.GoMaxProcs, r.Duration)
	}
	return out
}
