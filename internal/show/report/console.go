// Package report shows a measured result: on the console and as JSON. It
// computes nothing and reads no clock; what it shows is in measure.Result.
//
// Both forms begin with what `vllm bench serve` 0.32 prints, label for label and
// key for key, because scripts read it; below that comes what is ours.
package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/table"
)

// width of the block, as vLLM has it.
const width = 50

// Console prints the failures, vLLM's block and ours. By vLLM's rules it is the block alone, unless details are asked for.
func Console(w io.Writer, r *measure.Result, opt Options) error {
	if r.Compat != "" && !opt.Details {
		return VLLM(w, r)
	}
	c := &console{Console: table.Console{Width: opt.Width}, color: opt.Color}
	c.failures(r)
	if r.Eval != nil { // who asks questions wants their score first
		c.ours(r, &opt)
		c.vllm(r)
		return c.writeTo(w)
	}
	c.vllm(r)
	c.ours(r, &opt)
	return c.writeTo(w)
}

// VLLM prints vLLM's block alone, for scripts that read it.
func VLLM(w io.Writer, r *measure.Result) error {
	c := &console{}
	c.vllm(r)
	return c.writeTo(w)
}

// console is what is printed so far.
type console struct {
	table.Console
	b     strings.Builder
	color bool
}

func (c *console) writeTo(w io.Writer) error {
	if _, err := io.WriteString(w, c.b.String()); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	return nil
}

func (c *console) line(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

// row is a label and words; words that do not fit beside the label's column follow it at once.
func (c *console) row(label, words string) { c.Fact(&c.b, label, words) }

// center is a heading in the middle of a rule. Where the two sides differ, the
// right one is longer, as in Python.
func (c *console) center(s, rule string) {
	free := max(width-utf8.RuneCountInString(s), 0)
	c.line("%s%s%s", strings.Repeat(rule, free/2), s, strings.Repeat(rule, free-free/2))
}

func (c *console) integer(label string, v int64) { c.line("%-40s %-10d", label, v) }
func (c *console) float(label string, v float64) { c.line("%-40s %-10.2f", label, v) }

// known is a number, or the word for one that nobody knows.
func (c *console) known(label string, v *float64) {
	if v == nil {
		c.row(strings.TrimSuffix(label, ":"), "unknown")
		return
	}
	c.float(label, *v)
}

// numbers prints numbers of the whole run, one line each. What the run can't have is left out.
func (c *console) numbers(r *measure.Result, names ...string) {
	for _, name := range names {
		m := metric.Lookup(name)
		switch v, ok := r.Number(m); {
		case !ok:
		case math.IsNaN(v):
			c.row(m.Title, "unknown")
		case m.Whole():
			c.integer(m.Title+":", int64(v))
		default:
			c.float(m.Title+":", v)
		}
	}
}

// failures come first, so that nobody reads the numbers without them.
func (c *console) failures(r *measure.Result) {
	if len(r.Errors) == 0 {
		return
	}
	c.line("%s", c.paint(red, "Requests that did not complete:"))
	for _, e := range r.Errors {
		c.Words(&c.b, "", fmt.Sprintf("%6d %s: %s", e.Count, e.Outcome, outside.Word(e.Message)))
	}
}

// vllm prints the block that scripts know, byte for byte.
func (c *console) vllm(r *measure.Result) {
	o := &r.Run.Options
	c.center(" Serving Benchmark Result ", "=")
	c.numbers(r, "completed", "failed")
	if o.MaxConcurrency > 0 {
		c.integer("Maximum request concurrency:", int64(o.MaxConcurrency))
	}
	if o.RequestRate > 0 {
		c.float("Request rate configured (RPS):", o.RequestRate)
	}
	c.numbers(r, "duration", "total_input_tokens", "total_output_tokens", "request_throughput", "input_sequence_throughput", "request_goodput",
		"output_throughput", "max_output_tokens_per_s")
	if !o.Pooling {
		c.float("Peak concurrent requests:", float64(r.PeakConcurrent)) // vLLM prints this count with decimals
	}
	c.numbers(r, "rtfx")
	c.numbers(r, "total_token_throughput")
	c.probe(r.Probe)
	for _, m := range r.Metrics {
		if m.Metric.Scope == metric.PerJob {
			continue // in a block of ours
		}
		c.center(m.Metric.Title, "-")
		c.float("Mean "+m.Metric.Short+" (ms):", m.Stats.Mean)
		c.float("Median "+m.Metric.Short+" (ms):", m.Stats.Median)
		for _, p := range m.Stats.Percentiles {
			c.float("P"+percentileWord(p.P)+" "+m.Metric.Short+" (ms):", p.Value)
		}
	}
	c.specDecode(r.SpecDecode)
	c.line("%s", strings.Repeat("=", width))
}

func (c *console) specDecode(s *measure.SpecDecode) {
	if s == nil {
		return
	}
	c.center("Speculative Decoding", "-")
	c.float("Acceptance rate (%):", s.AcceptanceRate)
	c.known("Acceptance length:", s.AcceptanceLength)
	if s.Drafts > 0 {
		c.integer("Drafts:", s.Drafts)
	} else {
		c.row("Drafts", "unknown")
	}
	c.integer("Draft tokens:", s.DraftTokens)
	c.integer("Accepted tokens:", s.Accepted)
	if len(s.PerPosition) > 0 {
		c.line("Per-position acceptance (%%):")
	}
	for i, rate := range s.PerPosition {
		c.float(fmt.Sprintf("  Position %d:", i), rate*100)
	}
}
