package explain

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/judge/slots"
	"github.com/inferometer/inferometer/internal/outside"
)

// facts are what the rules look at.
type facts struct {
	*Collector
	in            Input
	limited       bool // a slot may have to be waited for
	closed, burst bool // there is no pace; all are due at once

	width   float64 // of a slot, in seconds
	flying  []float64
	offered []float64 // due and not ended
	from    float64   // the busy part of the run, in seconds: see busy
	to      float64
	client  client
	servers []*server // those that answer
	// Beside them: servers that only compute prompts, and routers.
	prefillers, routers []*server
	batch               dependence
}

func newFacts(c *Collector, in Input) *facts {
	c.settle()
	o := &in.Run.Options
	f := &facts{
		Collector: c, in: in, width: float64(c.course.Width) / 1e9, burst: o.Pace == "burst",
		limited: o.MaxConcurrency > 0 || o.MaxConversations > 0, closed: o.Pace == "" || o.Pace == "closed" || o.Pace == "burst",
	}
	sent := func(c *cell) slots.Marks { return c.sent }
	ended := func(c *cell) slots.Marks { return c.ended }
	f.flying = slots.Open(c.course, sent, ended)
	f.offered = slots.Open(c.course, func(c *cell) slots.Marks { return c.due }, ended)
	f.busy()
	f.batch = c.times.dependence(f.slack("itl"))
	f.client = newClient(in)
	for _, course := range serving.Courses(in.Scrapes, in.Run.MetricNames...) {
		s := newServer(&course, f.from, f.to)
		switch {
		case s.Replica == 0 && f.isRouter(s.Target):
			f.routers = append(f.routers, s)
		case s.Replica > 0 && s.Replica <= len(in.Run.Replicas) && in.Run.Replicas[s.Replica-1].Role == journal.Prefill:
			f.prefillers = append(f.prefillers, s)
		default:
			s.steps = fullSteps(in.Scrapes, s)
			f.servers = append(f.servers, s)
		}
	}
	return f
}

// isRouter says that others answer for an address.
func (f *facts) isRouter(target int) bool {
	return f.in.Run.RouterAt(target) != nil || slices.ContainsFunc(f.in.Run.Replicas, func(r journal.Replica) bool { return r.Target == target })
}

// answering is how many servers there are that answer, as far as they are known.
func (f *facts) answering() int {
	n := 0
	for i := range f.in.Run.Replicas {
		if f.in.Run.Replicas[i].Role != journal.Prefill {
			n++
		}
	}
	return max(n, len(f.in.Run.Targets), 1)
}

// allTell says that all servers which answer told of themselves: then sums are of all.
func (f *facts) allTell() bool { return len(f.servers) >= f.answering() }

// number is that of a server among the replicas; -1: it is none of them.
func (f *facts) number(s *server) int {
	for i := range f.names.Len() {
		one := f.names.At(i)
		if s.Replica > 0 && one.Listed == s.Replica || s.Replica == 0 && one.Target == s.Target+1 {
			return i
		}
	}
	return -1
}

// nameOf is what a server is called.
func (f *facts) nameOf(s *server) string {
	if i := f.number(s); i >= 0 {
		return outside.Word(f.names.Name(i))
	}
	return outside.Word(f.in.Run.Options.BaseURL)
}

// onlyPrefills says that a replica computes prompts for others.
func (f *facts) onlyPrefills(i int) bool {
	return f.names.At(i).Role == journal.Prefill && (i >= len(f.replicas) || f.replicas[i].sent == 0)
}

// busy finds the part of the run that says something of its limit: where at least half as many
// requests were in flight as at its height. Its first tenth is left out: a run fills up at first.
func (f *facts) busy() {
	if len(f.flying) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(f.flying))
	half := sorted[(len(sorted)-1)*9/10] / 2
	first := slices.IndexFunc(f.flying, func(v float64) bool { return v >= half })
	last := len(f.flying) - 1
	for last > first && f.flying[last] < half {
		last--
	}
	f.from, f.to = float64(first)*f.width, float64(last+1)*f.width
	f.from += (f.to - f.from) / 10
}

// mean is that of a list of slots between two moments; NaN: there are none.
func (f *facts) mean(list []float64, from, to float64) float64 {
	s := sums{}
	for i, v := range list {
		if at := (float64(i) + 0.5) * f.width; at >= from && at <= to {
			s.add(v)
		}
	}
	if s.n == 0 {
		return math.NaN()
	}
	return s.mean()
}

// seconds of the run's load.
func (f *facts) seconds() float64 { return float64(f.last-f.firstSent) / 1e9 }

// growth compares what was due and not ended in the middle of an open loop with its end.
// Requests that come faster than they are served pile up; those that are served fluctuate.
type growth struct {
	known       bool
	middle, end float64
	grows       bool
	why         string // it is not known
}

func (f *facts) growth() growth {
	if f.closed {
		return growth{why: "a closed loop sends only after an answer, so it can't fall behind"}
	}
	if f.in.End == nil {
		return f.growthSampled()
	}
	from, to := float64(f.firstDue)/1e9, float64(f.lastDue)/1e9
	span := to - from
	early := sums{} // what the first requests took: before that time all pile up
	for at, c := range f.course.All() {
		if float64(at)/1e9 <= from+span/5 {
			early.merge(c.early)
		}
	}
	if span < fewLatencies*early.mean()/1e9 || f.requests < fewRequests {
		return growth{why: "the run is too short to tell a queue that grows from one that fills up"}
	}
	g := growth{known: true, middle: f.mean(f.offered, from+0.4*span, from+0.6*span), end: f.mean(f.offered, from+0.8*span, to)}
	g.judge()
	return g
}

// judge: by chance alone the number of a served load has about the root of itself as its deviation.
func (g *growth) judge() { g.grows = g.end-g.middle > max(0.2*g.middle, 2*math.Sqrt(max(g.middle, 1))) }

// growthSampled is that of a run without an end: its journal has only what has ended, and those that pile up
// have not. The client's samples count them all.
func (f *facts) growthSampled() growth {
	var middle, end sums
	last := int64(0)
	for i := range f.in.Samples {
		last = max(last, f.in.Samples[i].At)
	}
	for i := range f.in.Samples {
		s := &f.in.Samples[i]
		switch part := float64(s.At) / float64(last); {
		case part >= 0.4 && part <= 0.6:
			middle.add(float64(s.InFlight))
		case part >= 0.8:
			end.add(float64(s.InFlight))
		}
	}
	if middle.n < 2 || end.n < 2 || last < int64(fewLatencies*f.whole.mean()) {
		return growth{why: "the run has no end, and too few samples to tell whether requests piled up"}
	}
	g := growth{known: true, middle: middle.mean(), end: end.mean()}
	g.judge()
	return g
}

const (
	// fewLatencies is how many times as long as a request takes a run must be: of a shorter one
	// the second half still fills up.
	fewLatencies = 2
	// fewRequests are too few for any statement.
	fewRequests = 10
)

// slack is by how much the mean of a metric may be off, in ns: how far its bounds lie apart.
func (f *facts) slack(metric string) float64 {
	bounds, ok := f.in.Bounds.Of(metric, "mean")
	if !ok {
		return 0
	}
	return bounds.Width() * 1e6
}

// several says that the run had more than one server.
func (f *facts) several() bool { return f.names.Len() > 1 }

// busiest is the server with the most requests in its queue, or else in its batch; nil: none told.
func (f *facts) busiest() *server {
	var most *server
	for _, s := range f.servers {
		if s.scrapes == 0 {
			continue
		}
		if most == nil || s.waiting > most.waiting || s.waiting == most.waiting && s.running > most.running {
			most = s
		}
	}
	return most
}

// client is what its samples say; of a fleet, the agent that had it worst. NaN: not known.
type client struct {
	cpu, wait, steal float64 // shares of the processors that it may use, or of the machine's
	agent            string
	known            bool
}

func newClient(in Input) client {
	worst := client{cpu: math.NaN(), wait: math.NaN(), steal: math.NaN()}
	agents := 1
	if in.Run.Fleet != nil {
		agents = len(in.Run.Fleet.Agents)
	}
	for agent := range agents {
		own := slices.DeleteFunc(slices.Clone(in.Samples), func(s journal.Sample) bool { return s.Agent != agent || s.At < 0 })
		e, name := &in.Run.Environment, ""
		if in.Run.Fleet != nil {
			e, name = &in.Run.Fleet.Agents[agent].Environment, in.Run.Fleet.Agents[agent].Name
		}
		c := sampled(own, e)
		if c.agent = name; c.known && (!worst.known || c.cpu > worst.cpu) {
			worst = c
		}
	}
	return worst
}

func sampled(s []journal.Sample, e *journal.Environment) client {
	c := client{cpu: math.NaN(), wait: math.NaN(), steal: math.NaN()}
	if len(s) < 2 || e.GoMaxProcs < 1 || e.CPUs < 1 {
		return c
	}
	a, b := &s[0], &s[len(s)-1]
	took := float64(b.At - a.At)
	if took < 1e8 {
		return c
	}
	c.known = true
	c.cpu = float64(b.CPUNs-a.CPUNs) / took / float64(e.GoMaxProcs)
	if a.WaitNs >= 0 && b.WaitNs >= 0 {
		c.wait = float64(b.WaitNs-a.WaitNs) / took / float64(e.GoMaxProcs)
	}
	c.steal = float64(b.StealNs-a.StealNs) / took / float64(e.CPUs)
	return c
}
