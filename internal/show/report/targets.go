package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setTargets adds each of several servers and how far they lie apart; a run
// against one has no such key.
func setTargets(o *object, t *measure.Targets) {
	if t == nil {
		return
	}
	list := make([]object, len(t.Each))
	for i := range t.Each {
		list[i] = targetObject(&t.Each[i])
	}
	o.Set("targets", object{{"balance", t.Balance}, {"each", list}, {"skew", t.Skew}})
}

func targetObject(t *measure.TargetResult) object {
	return object{
		{"url", t.URL},
		{"requests", t.Requests},
		{"share", t.Share},
		{"completed", t.Completed},
		{"failed", t.Failed},
		{"outcomes", outcomesObject(t.Outcomes)},
		{"total_input_tokens", t.InputTokens},
		{"total_output_tokens", t.OutputTokens},
		{"request_throughput", t.RequestThroughput},
		{"output_throughput", t.OutputThroughput},
		{"peak_concurrency", t.PeakConcurrency},
		{"ttft", t.TTFT},
		{"tpot", t.TPOT},
		{"e2el", t.E2EL},
	}
}

// targetRow is a row of the table of servers, as wide as the block.
const targetRow = "%-6s%9s%8s%9s%9s%9s"

// targets prints each of several servers, and how far they lie apart.
func (c *console) targets(t *measure.Targets) {
	if t == nil {
		return
	}
	c.center(fmt.Sprintf(" %d targets, %s ", len(t.Each), t.Balance), "-")
	c.line(targetRow, "", "requests", "tok/s", "TTFT p50", "TTFT p99", "TPOT p50")
	for i := range t.Each {
		e := &t.Each[i]
		c.line(targetRow, strconv.Itoa(i), strconv.Itoa(e.Requests), fmt.Sprintf("%.1f", e.OutputThroughput),
			millisOf(&e.TTFT, e.TTFT.P50), millisOf(&e.TTFT, e.TTFT.P99), millisOf(&e.TPOT, e.TPOT.P50))
	}
	for i := range t.Each {
		e, words := &t.Each[i], ""
		if e.Failed > 0 {
			words = ": " + outcomes(e.Outcomes)
		}
		c.line("Target %d: %s%s", i, e.URL, words)
	}
	if words := skewWords(&t.Skew); words != "" {
		c.row("Skew, max/min:", words)
	}
}

// millisOf is a number of a summary, or a dash where the summary has none.
func millisOf(s *measure.Summary, v float64) string {
	if s.Count == 0 {
		return "-"
	}
	return millis(v)
}

func skewWords(s *measure.TargetSkew) string {
	var words []string
	for _, part := range []struct {
		name string
		of   measure.Skew
	}{{"tok/s", s.OutputThroughput}, {"mean TTFT", s.TTFT}, {"mean TPOT", s.TPOT}, {"mean E2EL", s.E2EL}} {
		if part.of.MaxOverMin != nil {
			words = append(words, fmt.Sprintf("%s %.2f", part.name, *part.of.MaxOverMin))
		}
	}
	return strings.Join(words, ", ")
}
