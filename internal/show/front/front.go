// Package front draws accuracy against throughput: each configuration as a point with the
// interval of its accuracy, and a line through those of which no other is as good in both.
package front

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/template"
)

// Chart is the picture of a front; nil: there is none.
func Chart(f *compare.Front) *chart.Chart {
	if f == nil {
		return nil
	}
	on := chart.Series{Name: "on the front", Kind: chart.LinePoints, Dashed: true}
	off := chart.Series{Name: "dominated", Kind: chart.Points}
	low, high := 1.0, 0.0
	for i := range f.Points {
		p := &f.Points[i]
		s := &on
		if !p.On {
			s = &off
		}
		s.X, s.Y = append(s.X, p.Throughput), append(s.Y, p.Accuracy)
		s.Low, s.High = append(s.Low, p.Low), append(s.High, p.High)
		s.Labels = append(s.Labels, short(p.Name))
		s.Hints = append(s.Hints, fmt.Sprintf("%.4g tok/s, accuracy %.4f [%.3f, %.3f], %s", p.Throughput, p.Accuracy, p.Low, p.High, p.Words()))
		low, high = min(low, p.Low), max(high, p.High)
	}
	// Whole twentieths around all intervals: differences of accuracy are small beside accuracy itself.
	low, high = max(math.Floor(low*20)/20, 0), min(math.Ceil(high*20)/20, 1)
	c := &chart.Chart{
		Title: compare.FrontTitle, X: chart.Axis{Label: "output tokens per second", Zero: true},
		Y: chart.Axis{Label: "accuracy, with its 95 % interval", Min: &low, Max: &high}, Series: []chart.Series{on},
	}
	if len(off.X) > 0 {
		c.Series = append(c.Series, off)
	}
	return c
}

// Picture is the chart with its style, to stand in any page; empty: there is none.
func Picture(f *compare.Front) (template.HTML, error) {
	c := Chart(f)
	if c == nil {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("<style>" + chart.Style(":root[data-theme=dark]") + "</style>\n")
	if err := c.Inline(&b); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil // names are escaped where the chart is written
}

// short keeps a label beside its point.
func short(name string) string {
	const most = 30
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
