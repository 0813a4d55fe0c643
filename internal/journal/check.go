package journal

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// What a journal can hold. A file may come from anywhere: what lies beyond these is no
// run of ours, and arithmetic on it would overflow. It is looked at once, here, so that
// nobody to the right of the journal has to.
const (
	mostTime    = int64(100 * 24 * time.Hour) // from the run's zero, before or after
	mostCount   = 1 << 30                     // of one request: tokens, reads
	mostSum     = 1 << 60                     // of a counter: nanoseconds of processors, bytes
	mostIndex   = 1 << 40                     // requests of a run
	mostTargets = 10_000
	mostTurns   = 1 << 20 // of a conversation
)

// bounds collects the first thing that can't be.
type bounds struct{ err error }

func (b *bounds) within(name string, v, low, high int64) {
	if b.err == nil && (v < low || v > high) {
		b.err = fmt.Errorf("%s is %d, which can't be", name, v)
	}
}

func (b *bounds) time(name string, v int64) { b.within(name, v, -mostTime, mostTime) }

// count may be -1: not known.
func (b *bounds) count(name string, v int) { b.within(name, int64(v), -1, mostCount) }

func (b *bounds) sum(name string, v int64) { b.within(name, v, -mostSum, mostSum) }

func (b *bounds) number(name string, v float64) {
	if b.err == nil && !(math.Abs(v) <= mostSum) {
		b.err = fmt.Errorf("%s is %g, which can't be", name, v)
	}
}

// check looks at a line. run is the first one; nil: this is it.
func (l *Line) check(run *Run) error {
	targets := 0
	if run != nil {
		targets = len(run.Targets)
	}
	switch {
	case l.Request != nil:
		return l.Request.check(targets, run.agents())
	case l.Run != nil:
		return l.Run.check()
	case l.Sample != nil:
		return l.Sample.check(run.agents())
	case l.Scrape != nil:
		return l.Scrape.check(targets)
	case l.Hardware != nil:
		return l.Hardware.check(run.agents())
	case l.End != nil:
		return l.End.check()
	case l.Conversation != nil:
		return l.Conversation.check()
	case l.Answer != nil:
		return l.Answer.check()
	case l.Checked != nil:
		return l.Checked.check()
	}
	return nil // of a version to come
}

func (r *Request) check(targets, agents int) error {
	var b bounds
	b.within("i", int64(r.Index), -mostIndex, mostIndex)
	b.within("target", int64(r.Target), 0, int64(max(targets, 1))-1)
	b.within("agent", int64(r.Agent), 0, int64(agents)-1)
	b.within("conversation", int64(r.Conversation), 0, mostIndex)
	b.count("turn", r.Turn)
	b.within("after", int64(len(r.After)), 0, mostTurns)
	for _, i := range r.After {
		b.within("after", int64(i), 0, mostIndex)
	}
	b.within("delay", r.Delay, 0, mostTime)
	b.time("due", r.Due)
	b.time("released", r.Released)
	b.time("sent", r.Sent)
	b.within("connect", r.Connect, 0, mostTime)
	b.within("written", r.Written, 0, mostTime)
	b.time("headers", r.Headers)
	b.within("end", r.End, r.Sent, mostTime) // nothing ends before it was sent
	b.count("status", r.Status)
	b.count("reconnects", r.Reconnects)
	b.count("retransmits", r.Retransmits)
	b.count("reordered", r.Reordered)
	b.time("rtt", r.RTT)
	b.count("inputs", r.Inputs)
	b.time("sound_ns", r.SoundNs)
	b.count("media", r.Media)
	b.count("prompt_tokens", r.PromptTokens)
	b.count("output_tokens", r.OutputTokens)
	b.count("usage_prompt", r.UsagePrompt)
	b.count("usage_output", r.UsageOutput)
	b.count("usage_cached", r.UsageCached)
	b.count("usage_reasoning", r.UsageReasoning)
	b.count("planned_ppm", r.PlannedPPM)
	b.time("server_prompt_ns", r.ServerPromptNs)
	b.time("server_output_ns", r.ServerOutputNs)
	b.count("text_tokens", r.TextTokens)
	b.count("shared_reads", r.SharedReads)
	b.count("unstamped_read", r.UnstampedRead)
	if b.err == nil && r.Outcome == "" {
		b.err = errors.New("it has no outcome")
	}
	if b.err == nil {
		b.err = r.Events.check(r.Sent)
	}
	return b.named("request", r.Index)
}

func (b *bounds) named(line string, i int) error {
	if b.err == nil {
		return nil
	}
	return fmt.Errorf("%s %d: %w", line, i, b.err)
}

// check follows the gaps from the moment of sending.
func (e *Events) check(sent int64) error {
	n := len(e.At)
	fits := func(length int, there bool) bool { return length == n || !there }
	if !fits(len(e.Kind), true) || !fits(len(e.Lag), e.Lag != nil) || !fits(len(e.Tokens), e.Tokens != nil) || !fits(len(e.Size), e.Size != nil) {
		return fmt.Errorf("event columns differ in length: at %d, kind %d, lag %d, tokens %d, size %d", n, len(e.Kind), len(e.Lag), len(e.Tokens), len(e.Size))
	}
	var b bounds
	before := -1
	for _, i := range e.Open {
		b.within("open", int64(i), int64(before)+1, int64(n)-1)
		before = i
	}
	before = -1
	for _, i := range e.Held {
		b.within("held", int64(i), int64(before)+1, int64(n)-1)
		before = i
	}
	if b.err == nil && len(e.Held) != len(e.HeldNs) {
		b.err = fmt.Errorf("held and held_ns differ in length: %d, %d", len(e.Held), len(e.HeldNs))
	}
	for _, ns := range e.HeldNs {
		b.within("held_ns", ns, 0, mostTime)
	}
	at := sent
	for i, gap := range e.At {
		b.time("a gap", gap)
		at += gap
		b.time("an event", at)
		if e.Lag != nil {
			b.time("a lag", e.Lag[i])
		}
		if e.Tokens != nil {
			b.count("tokens of an event", e.Tokens[i])
		}
		if e.Size != nil {
			b.count("size of an event", e.Size[i])
		}
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

func (r *Run) check() error {
	var b bounds
	o := &r.Options
	b.within("num_prompts", int64(o.NumPrompts), -1, mostIndex)
	b.count("max_concurrency", o.MaxConcurrency)
	b.within("conversations", int64(o.Conversations), 0, mostIndex)
	b.count("max_conversations", o.MaxConversations)
	b.count("batch", o.Batch)
	b.count("integrity_sample", o.IntegritySample)
	b.within("targets", int64(len(r.Targets)), 0, mostTargets)
	b.number("request_rate", o.RequestRate)
	b.number("burstiness", o.Burstiness)
	b.number("spawn_rate", o.SpawnRate)
	b.number("probe_request_rate", o.ProbeRate)
	for name, ms := range o.Goodput {
		b.number("goodput "+outside.Word(name), ms)
	}
	for _, p := range o.MetricPercentiles {
		b.number("a percentile", p)
	}
	if p := o.Price; p != nil {
		b.number("price", p.PerHour)
		b.count("devices", p.Devices)
	}
	if p := o.Asked; p != nil {
		b.number("requests asked for", p.Requests)
		b.within("the time of the requests asked for", p.Over, 1, math.MaxInt64)
	}
	if p := o.RampUp; p != nil {
		b.count("start_rps", p.StartRPS)
		b.count("end_rps", p.EndRPS)
	}
	b.count("gomaxprocs", r.Environment.GoMaxProcs)
	b.count("cpus", r.Environment.CPUs)
	for _, t := range r.Targets {
		b.count("max_model_len", t.MaxModelLen)
	}
	checkMetricNames(r.MetricNames, &b)
	r.Proven.check(&b)
	if r.Fleet != nil {
		r.Fleet.check(&b)
	}
	return b.err
}

func (p *Proven) check(b *bounds) {
	if p == nil {
		return
	}
	for _, q := range p.Points {
		b.count("streams", q.Streams)
		b.number("tokens_per_s", q.TokensPerS)
		b.number("ttft_ms", q.TTFTMS)
		b.number("itl_ms", q.ITLMS)
	}
}

func (s *Sample) check(agents int) error {
	var b bounds
	b.within("agent", int64(s.Agent), 0, int64(agents)-1)
	b.time("at", s.At)
	b.sum("cpu_ns", s.CPUNs)
	b.sum("wait_ns", s.WaitNs)
	b.sum("gc_pause_ns", s.GCPauseNs)
	b.sum("busy_ns", s.BusyNs)
	b.sum("steal_ns", s.StealNs)
	b.sum("wake_ns", s.WakeNs)
	b.sum("wakes", s.Wakes)
	b.sum("late", s.Late)
	b.sum("late_ns", s.LateNs)
	b.count("files", s.Files)
	b.count("in_flight", s.InFlight)
	b.within("sent", int64(s.Sent), 0, mostIndex)
	b.within("ended", int64(s.Ended), 0, mostIndex)
	b.count("goroutines", s.Goroutines)
	b.sum("live_bytes", s.LiveBytes)
	return b.err
}

func (s *Scrape) check(targets int) error {
	var b bounds
	b.time("at", s.At)
	b.within("target", int64(s.Target), 0, int64(max(targets, 1))-1)
	for name, v := range s.Counters {
		b.number(outside.Word(name), v)
	}
	for name, counts := range s.Buckets {
		for _, v := range counts {
			b.number(outside.Word(name), v)
		}
	}
	return b.err
}

func (e *End) check() error {
	var b bounds
	b.time("at", e.At)
	b.within("sent", int64(e.Sent), 0, mostIndex)
	b.within("unwritten", int64(e.Unwritten), 0, mostIndex)
	b.within("seen_prompts", int64(e.SeenPrompts), -1, mostIndex)
	b.count("peak_in_flight", e.PeakInFlight)
	b.within("workload_recipe", int64(e.Recipe), 0, 1000)
	e.Client.check(&b)
	if e.Fleet != nil {
		e.Fleet.check(&b)
	}
	if d := e.SpecDecode; d != nil {
		for _, n := range append([]int64{d.Drafts, d.DraftTokens, d.Accepted, d.Emitted}, d.PerPosition...) {
			b.sum("spec_decode", n)
		}
	}
	if e.Power != nil {
		b.number("watts", e.Power.Watts)
	}
	last := int64(0)
	for _, p := range e.Pauses { // one after the other
		b.within("from of a pause", p.From, last, mostTime)
		b.within("to of a pause", p.To, p.From, mostTime)
		last = p.To
	}
	return b.err
}

func (c *Client) check(b *bounds) {
	b.sum("user_cpu_ns", c.UserCPUNs)
	b.sum("system_cpu_ns", c.SystemCPUNs)
	b.sum("max_rss_bytes", c.MaxRSSBytes)
	b.sum("gc_pause_ns", c.GCPauseNs)
}
