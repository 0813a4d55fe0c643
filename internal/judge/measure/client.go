package measure

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/outside"
)

// client is what the client says about itself.
func (c *collector) client(r *Result, end *journal.End) Client {
	cl := Client{
		Stamps: c.run.Clock, Lag: c.lag.Spread(),
		Events: c.events, SharedReads: c.sharedReads, UnstampedReads: c.unstampedReads,
	}
	if !c.rules.Closed {
		cl.Lateness, cl.ReleaseLag = c.sample("lateness").Spread(), c.sample("release").Spread()
	}
	if end == nil {
		return cl
	}
	cl.Cost = costOf(&end.Client, c.procs(), r.Duration)
	return cl
}

// procs are the processors of the client, or of all clients.
func (c *collector) procs() int {
	if c.run.Fleet == nil {
		return c.run.Environment.GoMaxProcs
	}
	sum := 0
	for i := range c.run.Fleet.Agents {
		sum += c.run.Fleet.Agents[i].Environment.GoMaxProcs
	}
	return sum
}

func costOf(used *journal.Client, procs int, duration float64) *Cost {
	cpu := seconds(used.UserCPUNs + used.SystemCPUNs)
	cost := &Cost{CPU: cpu, MaxRSS: used.MaxRSSBytes, GCPause: seconds(used.GCPauseNs) * 1000, GCCount: used.GCCount}
	if procs > 0 && duration > 0 {
		cost.CPUShare = cpu / (duration * float64(procs))
	}
	return cost
}

// profiled says what became of the server's profiler.
func profiled(p *journal.Profile) string {
	switch {
	case !p.Started:
		return "the server's profiler was not started: " + outside.Sentence(p.Error)
	case !p.Stopped:
		return "the server's profiler was started and could not be stopped: " + outside.Sentence(p.Error)
	}
	return "the server's profiler was on: these are the times of a server that profiles itself"
}

// NotStreamed is why a run of answers in one piece has so few latencies.
const NotStreamed = "answers were not streamed: there is no time to the first token, and none between tokens"

// warnings are doubts that a reader of the numbers should know, each with its figure.
func (c *collector) warnings(r *Result) []string {
	w := append([]string{}, c.opt.Warnings...)
	add := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }

	if r.End != nil && r.End.Unwritten > 0 {
		add("%d requests had ended and are missing: the journal could not be written", r.End.Unwritten)
	}
	if r.Partial && r.Interrupted != journalNotWhole {
		of := ""
		if n := c.run.Options.NumPrompts; n > 0 { // a run by time has no number
			of = fmt.Sprintf(" of %d", n)
		}
		add("the run stopped early (%s): %d%s requests are measured", r.Interrupted, r.Requests-r.Lost, of)
	}
	if asked, drawn, ok := c.paced.Rates(c.run, r.End); ok && c.lost+c.unsent == 0 && c.paced.OffBy(asked, drawn) > row.OffNoticed {
		add("%.4g requests a second were asked for, and the times that were drawn for them had %.4g", asked, drawn)
	}
	if r.End != nil && r.End.Profile != nil {
		add("%s", profiled(r.End.Profile))
	}
	if c.run.Options.Unstreamed {
		add("%s", NotStreamed)
	}
	if r.Completed == 0 {
		add("no request succeeded: there are no latencies")
	}
	if n := r.Tokens.ByEvents; n > 0 {
		how := "events with text were counted as tokens"
		if c.rules.Unstreamed {
			how = "how many there were is not known"
		}
		if c.rules.VLLM {
			how = "each counts as one token, as vLLM has it"
		}
		add("%d requests have no token count from the server or a tokenizer: %s", n, how)
	}
	if limit := c.run.Options.MaxConcurrency; limit > 0 && r.PeakConcurrency > limit {
		add("%d requests were open at once, above the limit of %d", r.PeakConcurrency, limit)
	}
	if n := r.Client.UnstampedReads; n > 0 && c.run.Clock == "kernel" {
		add("%d reads had no kernel time and carry the client's", n)
	}
	if words := journal.DifferentModels(c.run.Targets); words != "" {
		add("%s", words)
	}
	if c.aggregates != nil {
		add("%s", c.aggregates.warning(c.opt.RowLimit))
	} else if !c.gaps.Exact() || !c.tokGaps.Exact() || !c.lag.Exact() {
		add("more than %d gaps: their percentiles come from a histogram, within %g %%", c.opt.ExactLimit, sample.HistError*100)
	}
	if !c.arrivals.exact() && c.aggregates == nil {
		add("more than %d token events: tokens in time are counted by %d ms", c.opt.ExactLimit, c.arrivals.slots.Width/msNs)
	}
	if s := r.SteadyState; s != nil {
		if s.Window.Warning != nil {
			add("%s", *s.Window.Warning)
		}
		if s.foreign > 0 {
			add("the latencies of the steady state count %d requests that were sent outside it", s.foreign)
		}
	}
	return w
}
