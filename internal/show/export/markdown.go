package export

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Markdown writes what can be pasted: of several runs one table, then each run's
// verdict, figures and command.
func Markdown(w io.Writer, runs []section.Run, limits slo.SLO) error {
	var b strings.Builder
	if len(runs) > 1 {
		table.Markdown(&b, section.Overview(runs, limits))
	}
	for i := range runs {
		if len(runs) > 1 || i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", outside.Markdown(runs[i].Name))
		verdictLines(&b, &runs[i])
		if limits != nil {
			fmt.Fprintf(&b, "SLO %s: %s\n\n", limits, map[bool]string{true: "kept", false: "**not kept**"}[section.Keeps(limits, runs[i].Result)])
		}
		figures(&b, &runs[i])
		b.WriteString("\n")
		fence(&b, "sh", section.Command(runs[i].Result.Run.Command)+"\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Section writes a run as a section of a file of notes. The block in it is vLLM's,
// with the command above, so that compare reads it back.
func Section(w io.Writer, run *section.Run) error {
	var b strings.Builder
	name := run.Result.Run.Options.Label
	start := section.Start(run.Result).Format("2006-01-02 15:04:05 -07:00")
	if name == "" {
		name = start
	}
	fmt.Fprintf(&b, "## %s\n\n%s, %s, %s\n\n", outside.Markdown(name), start, outside.Markdown(run.Result.Run.Options.ModelID), section.Load(run.Result))
	fence(&b, "sh", section.Command(run.Result.Run.Command)+"\n")
	b.WriteString("\n")
	var block bytes.Buffer
	if err := report.VLLM(&block, run.Result); err != nil {
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

func verdictLines(b *strings.Builder, run *section.Run) {
	if run.Verdict == nil {
		b.WriteString("**Not judged**\n\n")
		return
	}
	fmt.Fprintf(b, "**%s**\n\n", outside.Markdown(run.Verdict.Line()))
	if len(run.Verdict.Reasons) == 0 {
		return
	}
	for _, name := range run.Verdict.Reasons {
		if c := run.Verdict.Check(name); c != nil {
			fmt.Fprintf(b, "- %s, %s: %s\n", c.Level, c.Name, outside.Markdown(c.Sentence))
		}
	}
	b.WriteString("\n")
}

// figures are the run's sections.
func figures(b *strings.Builder, run *section.Run) {
	if run.Result.Run.Options.Unstreamed {
		fmt.Fprintf(b, "%s\n\n", measure.NotStreamed)
	}
	for i, s := range section.Of(run, table.InMarkdown) {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "### %s\n", outside.Markdown(s.Title))
		for _, t := range s.Tables {
			b.WriteString("\n")
			table.Markdown(b, t)
		}
	}
}

// fence writes text between fences that are longer than any in it.
func fence(b *strings.Builder, language, text string) {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s%s\n", marks, language, text, marks)
}
