package report

import (
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/shlex"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/summary"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Summary prints the summary alone, for who did not ask for vLLM's block.
func Summary(w io.Writer, r *measure.Result, opt Options) error {
	c := &console{Console: table.Console{Width: opt.Width}, color: opt.Color}
	c.summary(r, &opt)
	return c.writeTo(w)
}

// Doubts prints what nobody should miss who reads vLLM's block alone: what did not complete, and a verdict that is not VALID.
func Doubts(w io.Writer, r *measure.Result, opt Options) error {
	c := &console{Console: table.Console{Width: opt.Width}, color: opt.Color}
	c.failures(r)
	if v := opt.Verdict; v != nil && v.Level != verdict.TrustValid {
		c.line("%s", c.paint(levelColor(v.Level), v.Line()))
	}
	return c.writeTo(w)
}

// ours prints the summary, and with details what vLLM's block does not say, section by section.
func (c *console) ours(r *measure.Result, opt *Options) {
	c.center(" Inferometer ", "=")
	c.summary(r, opt)
	if opt.Details {
		c.details(r, opt)
	}
	c.line("%s", strings.Repeat("=", width))
}

// summary prints its lines, and where to find the rest.
func (c *console) summary(r *measure.Result, opt *Options) {
	for _, line := range summary.Of(opt.run(r), opt.SLO) {
		if v := opt.Verdict; v != nil && strings.HasPrefix(line, string(v.Level)) {
			line = c.paint(levelColor(v.Level), line)
		}
		c.Words(&c.b, "", line)
	}
	switch {
	case opt.Page != "":
		c.Words(&c.b, "", summary.Label("Page", opt.Page))
	case opt.RunDir != "" && !opt.Details:
		c.Words(&c.b, "", summary.Label("More", "inferometer report "+shlex.Quote(judged.Name(opt.RunDir))+" --details, or -o page.html"))
	}
}

func (c *console) details(r *measure.Result, opt *Options) {
	for _, s := range section.Of(opt.run(r), table.OnConsole) {
		c.center(" "+s.Title+" ", "-")
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
}
