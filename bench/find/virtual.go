package main

import (
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/sim/engine"
)

// round is what a closed loop's next request takes to reach the engine: it comes
// after the step that follows has begun, as over a socket.
const round = int64(300 * time.Microsecond)

// virtualRun is one run of a workload against the engine in virtual time, as bench
// serve would do it: the same pace, the same journal, the same watch.
type virtualRun struct {
	cfg    *config
	x      float64
	length time.Duration
	random *rand.Rand
	watch  *slo.GiveUp // nil: nothing is given up

	engine   *engine.Virtual
	requests []journal.Request
	last     []int64 // when each had its last event
	done     []journal.Request
	stopped  string
	due      int64 // of the next arrival
}

// probe runs a load and reads what it shows, through the same code as the command.
func (c *config) probe(x float64, length time.Duration, seed uint64, watched bool) (search.Observation, error) {
	r := &virtualRun{cfg: c, x: x, length: length, random: rand.New(rand.NewPCG(seed, c.seed)), engine: engine.NewVirtual(c.engine)}
	options := c.options(x)
	if watched {
		r.watch = slo.NewGiveUp(&options, c.slo, length)
	}
	end := r.run()
	j := &memory{run: journal.Run{Schema: 1, Version: "virtual", Clock: "user", Options: options}, requests: r.done}
	j.end = &journal.End{At: end, Sent: len(r.done), Stopped: r.stopped}
	again := *j
	o, err := observe(j, &again, c.slo)
	o.X, o.Seconds, o.Cost = x, length.Seconds(), (time.Duration(end) + perProbe).Seconds()
	return o, err
}

// observe reads a run as find does: without its start. It needs the journal twice.
func observe(first, again measure.Journal, objective slo.SLO) (search.Observation, error) {
	from, err := measure.SettledFrom(first)
	if err != nil {
		return search.Observation{}, err
	}
	res, err := measure.Measure(measure.After(again, from), measure.Options{})
	if err != nil {
		return search.Observation{}, err
	}
	return search.FromResult(res, objective), nil
}

// perProbe is what a probe costs beside its load: a process, its start and its end.
const perProbe = 700 * time.Millisecond

func (c *config) options(x float64) journal.Options {
	o := journal.Options{
		Backend: "openai", Pace: "poisson", RequestRate: x, Burstiness: 1, TokenizerSource: "none",
		PercentileMetrics: []string{"ttft", "tpot", "itl", "e2el"}, MetricPercentiles: []float64{50, 90, 95, 99},
	}
	if c.closed {
		o.Pace, o.RequestRate, o.MaxConcurrency = "closed", 0, int(x)
	}
	return o
}

// run sends for the length, waits for what is in flight, and returns when that was over.
func (r *virtualRun) run() int64 {
	if r.cfg.closed {
		for range int(r.x) {
			r.submit(0)
		}
	} else {
		r.arrivals(0)
	}
	for {
		made, ok := r.engine.Step()
		now := int64(r.engine.Now())
		for _, token := range made {
			r.token(token)
		}
		r.arrivals(now)
		if !ok && !r.more() {
			return now
		}
	}
}

// more says that an arrival is still to come although the engine is idle.
func (r *virtualRun) more() bool {
	if r.cfg.closed || r.stopped != "" || r.due >= int64(r.length) {
		return false
	}
	r.arrivals(r.due)
	return true
}

// arrivals submits those that are due within a second: enough for any step, and not
// more than is lost when the probe is given up.
func (r *virtualRun) arrivals(now int64) {
	if r.cfg.closed {
		return
	}
	for r.stopped == "" && r.due <= now+int64(100*time.Millisecond) && r.due < int64(r.length) {
		r.submit(r.due)
		r.due += int64(r.random.ExpFloat64() / r.x * 1e9)
	}
}

func (r *virtualRun) submit(at int64) {
	prompt, output := r.cfg.lengths(r.random)
	i := r.engine.Submit(at+round/2, prompt, output)
	r.requests = append(r.requests, journal.Request{
		Index: i, Due: at, Released: at, Sent: at, Status: 200, Outcome: journal.Complete,
		PromptTokens: prompt, OutputTokens: output, UsagePrompt: prompt, UsageOutput: output,
	})
	r.last = append(r.last, at)
}

func (r *virtualRun) token(t engine.VirtualToken) {
	q := &r.requests[t.Request]
	q.Events.At = append(q.Events.At, t.At-r.last[t.Request])
	q.Events.Kind = append(q.Events.Kind, journal.EventChoices|journal.EventText)
	r.last[t.Request] = t.At
	if !t.Last {
		return
	}
	q.End = t.At
	r.done = append(r.done, *q)
	if r.watch != nil && r.stopped == "" && r.watch.Ended(q) {
		r.stopped = r.watch.Judge()
	}
	if r.cfg.closed && r.stopped == "" && t.At < int64(r.length) {
		r.submit(t.At + round/2)
	}
}

// memory is a journal in memory.
type memory struct {
	run      journal.Run
	requests []journal.Request
	end      *journal.End
	at       int
}

func (m *memory) Run() *journal.Run { return &m.run }
func (m *memory) End() *journal.End { return m.end }
func (m *memory) Next() (*journal.Request, error) {
	if m.at == len(m.requests) {
		return nil, io.EOF
	}
	m.at++
	return &m.requests[m.at-1], nil
}

// middle is the median.
func middle(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return v[len(v)/2]
}
