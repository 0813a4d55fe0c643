package comparison

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/page"
	"github.com/inferometer/inferometer/internal/show/table"
)

// maxDrawn bounds the sides whose changes are drawn, and maxShown how far a change is: beyond it is at the edge.
const (
	maxDrawn = 8
	maxShown = 2.0
)

// The colours of a change, by their place in the palette.
const (
	betterColor, worseColor, openColor = 3, 2, 7
)

// changes are the metrics of a side below each other, each as a point with its interval; nil where no change has one.
func changes(c *compare.Comparison, side int) *chart.Chart {
	better := chart.Series{Name: "better", Kind: chart.Whiskers, Color: betterColor}
	worse := chart.Series{Name: "worse", Kind: chart.Whiskers, Color: worseColor}
	open := chart.Series{Name: "not decided", Kind: chart.Whiskers, Color: openColor}
	var ticks []chart.Tick
	beyond, width := false, 10.0 // per cent, so that mere noise looks like noise
	for i := range c.Rows {
		row := &c.Rows[i]
		ch := row.Cells[side].Change
		if ch == nil || !ch.Bounded {
			continue
		}
		s := map[string]*chart.Series{table.Good: &better, table.Bad: &worse, "": &open}[class(row, ch)]
		at := -float64(len(ticks)) // the first above
		ticks = append(ticks, chart.Tick{At: at, Label: row.Metric.Label})
		s.X, s.Y = append(s.X, within(ch.Ratio)), append(s.Y, at)
		s.Low, s.High = append(s.Low, within(ch.Low)), append(s.High, within(ch.High))
		s.Hints = append(s.Hints, row.Metric.Label+": "+Change(ch))
		beyond = beyond || ch.Low < -maxShown || ch.High > maxShown
		width = max(width, math.Abs(within(ch.Low)), math.Abs(within(ch.High)))
	}
	if len(ticks) == 0 {
		return nil
	}
	low, high := -1.05*width, 1.05*width
	bottom, top := 0.5-float64(len(ticks)), 0.5
	out := &chart.Chart{
		Title: clip(c.Names[side]) + " against " + clip(c.Names[0]), X: chart.Axis{Label: "change, %", Unit: "%", Min: &low, Max: &high},
		Y: chart.Axis{Ticks: ticks, Min: &bottom, Max: &top}, Height: 100 + 22*len(ticks),
	}
	if beyond {
		out.Note = fmt.Sprintf("A change of more than %g %% is drawn at the edge.", 100*maxShown)
	}
	for _, s := range []chart.Series{better, worse, open} {
		if len(s.X) > 0 {
			out.Series = append(out.Series, s)
		}
	}
	out.Series = append(out.Series, chart.Series{Name: "no change", X: []float64{0, 0}, Y: []float64{bottom, top}, Dashed: true, Color: openColor})
	return out
}

// class is how a change is to be taken; empty: it is not decided, or nobody says which way is better.
func class(row *compare.Row, ch *compare.Change) string {
	switch {
	case row.Metric.Unsure || ch.Call != compare.Real && ch.Call != compare.Differs:
		return ""
	case (ch.Ratio > 0) == row.Metric.Higher:
		return table.Good
	}
	return table.Bad
}

// cards are the changes that a reader looks for first, of two sides.
func cards(c *compare.Comparison) (list []page.Card) {
	for _, key := range []string{"output_throughput", "median_ttft_ms", "p99_ttft_ms", "median_itl_ms"} {
		for i := range c.Rows {
			row := &c.Rows[i]
			ch := row.Cells[1].Change
			if row.Metric.Key != key || ch == nil {
				continue
			}
			list = append(list, page.Card{Title: row.Metric.Label, Text: signed(ch.Ratio) + " %", Class: class(row, ch), Notes: []string{
				fmt.Sprintf("%s against %s", number.Group(number.Short(row.Cells[1].Value)), number.Group(number.Short(row.Cells[0].Value))), told(ch),
			}})
		}
	}
	return list
}

// told is how sure a change is.
func told(ch *compare.Change) string {
	if !ch.Bounded {
		return "its error is not known"
	}
	return fmt.Sprintf("%s: %s to %s %%", ch.Call, signed(ch.Low), signed(ch.High))
}

// within is a change in per cent, no further than is drawn.
func within(v float64) float64 { return 100 * min(max(v, -maxShown), maxShown) }

func clip(name string) string {
	const most = 40
	return outside.Line(name, most)
}
