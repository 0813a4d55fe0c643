package report

import (
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// ours prints what vLLM's block does not say, section by section, and the verdict.
func (c *console) ours(r *measure.Result, opt Options) {
	c.center(" Inferometer ", "=")
	run := &section.Run{Folder: opt.RunDir, Result: r, Verdict: opt.Verdict, Intervals: opt.Intervals}
	for _, s := range section.Of(run, table.OnConsole) {
		if !s.Quiet {
			c.center(" "+s.Title+" ", "-")
		}
		grids := 0
		for _, t := range s.Tables {
			if len(t.Columns) > 0 {
				grids++
			}
			if grids > 1 && len(t.Columns) > 0 { // the first is what the section is called
				c.Words(&c.b, "", t.Title+":")
			}
			c.Write(&c.b, t)
		}
	}
	c.until(r.Until)
	if opt.RunDir != "" {
		c.row("Run", opt.RunDir)
	}
	for _, w := range r.Warnings {
		c.row("Warning", w)
	}
	c.slo(opt.SLO)
	c.verdict(opt.Verdict)
	c.line("%s", strings.Repeat("=", width))
}
