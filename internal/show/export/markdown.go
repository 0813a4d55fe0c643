package export

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/report"
)

// Markdown writes what can be pasted: of several runs one table, then each run's
// verdict, figures and command.
func Markdown(w io.Writer, runs []page.Run, limits slo.SLO) error {
	var b strings.Builder
	if len(runs) > 1 {
		overview(&b, runs, limits)
	}
	for i := range runs {
		if len(runs) > 1 || i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", outside.Markdown(runs[i].Name))
		verdictLines(&b, &runs[i])
		if limits != nil {
			fmt.Fprintf(&b, "SLO %s: %s\n\n", limits, map[bool]string{true: "kept", false: "**not kept**"}[page.Keeps(limits, runs[i].Result)])
		}
		figures(&b, &runs[i])
		b.WriteString("\n")
		fence(&b, "sh", page.Command(runs[i].Result.Run.Command)+"\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Section writes a run as a section of a file of notes. The block in it is vLLM's,
// with the command above, so that compare reads it back.
func Section(w io.Writer, run *page.Run) error {
	var b strings.Builder
	name := run.Result.Run.Options.Label
	start := page.Start(run.Result).Format("2006-01-02 15:04:05 -07:00")
	if name == "" {
		name = start
	}
	fmt.Fprintf(&b, "## %s\n\n%s, %s, %s\n\n", outside.Markdown(name), start, outside.Markdown(run.Result.Run.Options.ModelID), page.Load(run.Result))
	fence(&b, "sh", page.Command(run.Result.Run.Command)+"\n")
	b.WriteString("\n")
	var block bytes.Buffer
	if err := report.Block(&block, run.Result); err != nil {
		return err
	}
	fence(&b, "text", block.String())
	b.WriteString("\n")
	figures(&b, run)
	b.WriteString("\n")
	verdictLines(&b, run)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func overview(b *strings.Builder, runs []page.Run, limits slo.SLO) {
	b.WriteString("| run | verdict | output tok/s | req/s | TTFT p50, ms | TTFT p99, ms | ITL p99, ms | failed |")
	rule := "|---|---|---:|---:|---:|---:|---:|---:|"
	questions := asked(runs)
	if questions {
		b.WriteString(" accuracy | 95 % interval |")
		rule += "---:|---|"
	}
	if limits != nil {
		b.WriteString(" SLO |")
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for i := range runs {
		r := runs[i].Result
		ttft, itl := &r.Latency.Sent.TTFT, &r.InterChunk
		fmt.Fprintf(b, "| %s | %s | %.2f | %.2f | %s | %s | %s | %d |", outside.Markdown(runs[i].Name), level(&runs[i]), r.OutputThroughput, r.RequestThroughput,
			known(ttft, 50, ttft.P50), known(ttft, 99, ttft.P99), known(itl, 99, itl.P99), r.Failed)
		if questions {
			value, interval := accuracyColumns(r.Eval)
			fmt.Fprintf(b, " %s | %s |", value, interval)
		}
		if limits != nil {
			b.WriteString(map[bool]string{true: " kept |", false: " not kept |"}[page.Keeps(limits, r)])
		}
		b.WriteString("\n")
	}
}

// known is a percentile of a distribution, or a dash where it has none; n/a: it has
// too few values for it.
func known(s *measure.Summary, p, v float64) string {
	switch {
	case s.Count == 0:
		return "–"
	case int64(s.Count) < verdict.Needs(p):
		return "n/a"
	}
	return fmt.Sprintf("%.2f", v)
}

func level(run *page.Run) string {
	if run.Verdict == nil {
		return "not judged"
	}
	return run.Verdict.Word()
}

func verdictLines(b *strings.Builder, run *page.Run) {
	fmt.Fprintf(b, "**Verdict: %s**\n\n", level(run))
	if run.Verdict == nil || len(run.Verdict.Reasons) == 0 {
		return
	}
	for _, name := range run.Verdict.Reasons {
		if c := run.Verdict.Check(name); c != nil {
			fmt.Fprintf(b, "- %s, %s: %s\n", c.Level, c.Name, outside.Markdown(c.Sentence))
		}
	}
	b.WriteString("\n")
}

// figures are two tables: what was done, and how long it took.
func figures(b *strings.Builder, run *page.Run) {
	if run.Result.Run.Options.Unstreamed {
		fmt.Fprintf(b, "%s\n\n", measure.NotStreamed)
	}
	r := run.Result
	fmt.Fprintf(b, "| requests | failed | duration, s | req/s | output tok/s | total tok/s |\n|---:|---:|---:|---:|---:|---:|\n| %d | %d | %.2f | %.2f | %.2f | %.2f |\n\n",
		r.Requests, r.Failed, r.Duration, r.RequestThroughput, r.OutputThroughput, r.TotalTokenThroughput)
	b.WriteString("| ms | mean | p50 | p90 | p99 | max |\n|---|---:|---:|---:|---:|---:|\n")
	for _, m := range latencies(r) {
		if m.Count > 0 {
			fmt.Fprintf(b, "| %s | %.2f | %.2f | %s | %s | %.2f |\n", m.title, m.Mean, m.P50, known(m.Summary, 90, m.P90), known(m.Summary, 99, m.P99), m.Max)
		}
	}
	boundFigures(b, r)
	serverFigures(b, r.Server)
	hardwareFigures(b, r.Hardware)
	accuracyFigures(b, r.Eval)
	conversationFigures(b, r.Conversations)
	agentFigures(b, r.Agents)
	groupFigures(b, "turn", r.ByTurn)
	groupFigures(b, "adapter", r.ByAdapter)
}

// agentFigures are each client of a fleet by itself, and what became of the list.
func agentFigures(b *strings.Builder, a *measure.Agents) {
	if a == nil {
		return
	}
	fmt.Fprintf(b, "\nFleet: %s\n\n| agent | requests | failed | lost | unsent | TTFT p50, ms | TTFT p99, ms | TPOT p50, ms | output tok/s | |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n", report.Accounting(a))
	for i := range a.Each {
		e := &a.Each[i]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s | %s | %s | %.2f | %s |\n", outside.Markdown(e.Title), e.Requests, e.Failed, e.Lost, e.Unsent,
			known(&e.TTFT, 50, e.TTFT.P50), known(&e.TTFT, 99, e.TTFT.P99), known(&e.TPOT, 50, e.TPOT.P50), e.OutputThroughput, outside.Markdown(report.AgentNotes(e)))
	}
}

// groupFigures are the same figures by turn or by adapter, where there are two at least.
func groupFigures(b *strings.Builder, what string, g *measure.Groups) {
	all := g.All()
	if len(all) < 2 {
		return
	}
	fmt.Fprintf(b, "\n| %s | requests | failed | prompt tokens | cached | TTFT p50, ms | TTFT p90, ms | TTFT p99, ms | TPOT p50, ms | E2EL p50, ms | output tok/s |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", what)
	for i := range all {
		one := &all[i]
		prompt, cached := "unknown", "unknown"
		if one.Prompt.Known > 0 {
			prompt = fmt.Sprintf("%.0f", one.Prompt.Mean)
		}
		if v, ok := one.Cached.Share(); ok {
			cached = fmt.Sprintf("%.1f %%", v*100)
			if one.Cached.Known < one.Completed {
				cached += fmt.Sprintf(" (of %d)", one.Cached.Known)
			}
		}
		ttft := &one.TTFT.Summary
		fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %.2f |\n", outside.Markdown(g.Name(one)), one.Requests, one.Failed, prompt, cached,
			known(ttft, 50, ttft.P50), known(ttft, 90, ttft.P90), known(ttft, 99, ttft.P99), known(&one.TPOT.Summary, 50, one.TPOT.P50), known(&one.E2EL.Summary, 50, one.E2EL.P50), one.OutputThroughput)
	}
}

// conversationFigures are those of conversations as a whole.
func conversationFigures(b *strings.Builder, c *measure.Conversations) {
	if c == nil {
		return
	}
	fmt.Fprintf(b, "\n| conversations | ended | turns | never sent | per second | to done p50, ms | p99, ms | without think time p50, ms | p99, ms |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
	t, busy := &c.Time.Summary, &c.Busy.Summary
	fmt.Fprintf(b, "| %d | %s | %d | %d | %.2f | %s | %s | %s | %s |\n", c.Begun, report.ConversationEnds(c), c.Turns.Sent, c.Turns.Skipped, c.Rate,
		known(t, 50, t.P50), known(t, 99, t.P99), known(busy, 50, busy.P50), known(busy, 99, busy.P99))
}

// fence writes text between fences that are longer than any in it.
func fence(b *strings.Builder, language, text string) {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s%s\n", marks, language, text, marks)
}
