package page

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/show/plot"
	"github.com/inferometer/inferometer/internal/show/section"
)

func tokensPlot(t *chartdata.Run) plot.Plot {
	p := plot.Plot{Title: "output tokens per second", X: t.At, Y: t.Tokens, XUnit: "s"}
	if t.TokensUnknown != "" {
		p.Title, p.X, p.Y = p.Title+": unknown, "+t.TokensUnknown, nil, nil
	}
	return p
}

// Plots draws a run for a terminal of this width: what a reader looks at first.
func Plots(w io.Writer, t *chartdata.Run, width int) error {
	list := []plot.Plot{
		{Title: "requests in flight", X: t.At, Y: t.InFlight, XUnit: "s"},
		tokensPlot(t),
		{Title: "TTFT p50 by time of sending, ms", X: t.At, Y: t.TTFT.P50, XUnit: "s"},
		{Title: "TTFT " + t.TTFT.HighName + " by time of sending, ms", X: t.At, Y: t.TTFT.High, XUnit: "s"},
	}
	for _, c := range t.Curves {
		if c.Name == "ttft" || c.Name == "itl" {
			list = append(list, plot.Plot{Title: "share of values, " + section.MetricWord(c.Name), X: c.MS, Y: c.Share, XUnit: "ms", Max: 1, LogX: true})
		}
	}
	for i := range list {
		list[i].Width = width
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := list[i].Write(w); err != nil {
			return err
		}
	}
	return nil
}
