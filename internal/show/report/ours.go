package report

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// ours prints what vLLM's block does not say: how requests ended, latency from
// the due time, and how far the client itself can be trusted.
func (c *console) ours(r *measure.Result, opt Options) {
	c.center(" Inferometer ", "=")
	c.row("Outcomes:", outcomes(r.Outcomes))
	if r.Compat != "" {
		c.row("Numbers above by the rules of:", r.Compat)
	}
	c.ms = msTable(r)
	c.line(c.ms, "ms", "mean", "p50", "p99", "max")
	tokens := !r.Run.Options.Whole() // else an answer is one piece, and has no times of tokens
	if tokens {
		c.summary("TTFT, sent", &r.Latency.Sent.TTFT)
		c.summary("TTFT, due", &r.Latency.Due.TTFT)
	}
	c.summary("E2EL, sent", &r.Latency.Sent.E2EL)
	c.summary("E2EL, due", &r.Latency.Due.E2EL)
	if tokens {
		c.visible(r)
		c.between(r)
	}
	for i := range r.More {
		c.summary(r.More[i].Metric.Short, &r.More[i].Summary)
	}
	c.probes(r.Probe)
	c.stalls(r.Stalls, r.Completed)
	c.goodput(r.Limits)
	for _, m := range others(r) {
		if !m.OfQuestions && !m.OfServer { // these have a block of their own
			c.numbers(r, m.Name)
		}
	}
	c.client(r)
	c.steady(r.SteadyState, tokens)
	c.targets(r.Targets)
	c.server(r.Server)
	c.agents(r.Agents)
	c.conversations(r.Conversations)
	c.groups("By turn", r.ByTurn)
	c.groups("By adapter", r.ByAdapter)
	c.economy(r.Economy)
	c.hardware(r.Hardware)
	c.eval(r)
	if opt.Intervals {
		c.intervals(&r.Confidence)
	}
	c.until(r.Until)
	if opt.RunDir != "" {
		c.row("Run:", opt.RunDir)
	}
	for _, w := range r.Warnings {
		c.row("Warning:", w)
	}
	c.slo(opt.SLO)
	c.verdict(opt.Verdict)
	c.line("%s", strings.Repeat("=", width))
}

// row is a label and words; words that do not fit beside the label's column follow it at once.
func (c *console) row(label, words string) {
	if len(words) > 10 {
		c.words(label+" ", words)
		return
	}
	c.line("%-40s %s", label, words)
}

func (c *console) summary(name string, s *measure.Summary) {
	if s.Count == 0 {
		return
	}
	c.line(c.ms, name, millis(s.Mean), millis(s.P50), p99(s.P99, int64(s.Count)), millis(s.Max))
}

func (c *console) client(r *measure.Result) {
	cl := &r.Client
	if cl.Lag != nil {
		c.line(c.ms, "Client lag", millis(cl.Lag.Mean), millis(cl.Lag.P50), p99(cl.Lag.P99, cl.Events), millis(cl.Lag.Max))
	}
	if cl.Lateness != nil {
		c.line(c.ms, "Sent late by", millis(cl.Lateness.Mean), millis(cl.Lateness.P50), p99(cl.Lateness.P99, int64(r.Requests)), millis(cl.Lateness.Max))
	}
	c.row("Event times by:", cl.Stamps)
	if cl.SharedReads > 0 {
		c.row("Events that share a read:", fmt.Sprintf("%.1f %%", float64(cl.SharedReads)/float64(max(cl.Events, 1))*100))
	}
	c.bounds(r)
	if cl.Cost != nil {
		c.row("Client CPU:", fmt.Sprintf("%.0f %%", cl.Cost.CPUShare*100))
	}
	// Where events were counted for want of tokens, the ratio says nothing.
	if t := r.TokensPerEvent; !r.Run.Options.Whole() && t.Events > 0 && r.Tokens.ByEvents == 0 {
		c.float("Tokens per event:", t.Mean)
	}
	if r.PeakConcurrency != r.PeakConcurrent {
		c.int("Peak concurrent requests, as it was:", int64(r.PeakConcurrency))
	}
}

func (c *console) steady(s *measure.SteadyState, tokens bool) {
	if s == nil {
		return
	}
	w := &s.Window
	c.center(" Steady state ", "-")
	c.row("Window:", fmt.Sprintf("%.1f s to %.1f s, at least %d of %d open", w.Start, w.End, w.ThresholdAbs, w.Target))
	c.row("Requests:", fmt.Sprintf("%d sent, %d completed in it, of %d; by their parts %.1f", w.Started, w.Completed, w.RequestsTotal, w.Requests))
	c.float("Request throughput (req/s), steady:", s.RequestThroughput)
	if !tokens {
		return
	}
	c.known("Output throughput (tok/s), steady:", s.OutputThroughput)
	c.float("Mean TTFT (ms), steady:", s.MeanTTFT)
	c.float("Mean TPOT (ms), steady:", s.MeanTPOT)
}

func outcomes(counts []measure.OutcomeCount) string {
	parts := make([]string, len(counts))
	for i, o := range counts {
		parts[i] = fmt.Sprintf("%d %s", o.Count, o.Outcome)
	}
	return strings.Join(parts, ", ")
}

// msRow is a row of the table of milliseconds, as wide as the block.
const (
	msRow     = "%-12s%9s%9s%10s%10s"
	msRowWide = "%-12s%9s%9s%16s%10s" // with room for "n/a (36 < 100)"
)

// millis is a number of that table: from 100 s on its fractions would run into the
// next column, and mean nothing.
func millis(v float64) string {
	if v >= 1e5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
