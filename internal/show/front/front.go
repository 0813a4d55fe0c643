// Package front draws accuracy against throughput: each configuration as a point with the
// interval of its accuracy, and a line through those of which no other is as good in both.
package front

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
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
		s.Hints = append(s.Hints, fmt.Sprintf("%.4g tok/s, accuracy %.4f [%.3f, %.3f], %s", p.Throughput, p.Accuracy, p.Low, p.High, words(p)))
		low, high = min(low, p.Low), max(high, p.High)
	}
	// Whole twentieths around all intervals: differences of accuracy are small beside accuracy itself.
	low, high = max(math.Floor(low*20)/20, 0), min(math.Ceil(high*20)/20, 1)
	c := &chart.Chart{
		Title: Title, X: chart.Axis{Label: "output tokens per second", Zero: true},
		Y: chart.Axis{Label: "accuracy, with its 95 % interval", Min: &low, Max: &high}, Series: []chart.Series{on},
	}
	if len(off.X) > 0 {
		c.Series = append(c.Series, off)
	}
	return c
}

// Title is above it.
const Title = "Accuracy against output throughput"

// Table is speed and accuracy of each configuration, and its place.
func Table(f *compare.Front) *table.Table {
	t := &table.Table{ID: "front", Title: Title, Columns: []table.Column{{Name: "configuration"}, {Name: "output tok/s", Format: number.Text}, {Name: "accuracy", Format: number.Accuracy}, {Name: "place"}}, Notes: f.Notes}
	for i := range f.Points {
		p := &f.Points[i]
		place := table.Word(words(p))
		if p.On && !p.Doubt {
			place.Class = table.Best
		}
		t.Add(p.Name, p.Throughput, Accuracy(p.Accuracy, p.StdErr), place)
	}
	return t
}

// Accuracy is an accuracy and its standard error, as lm-eval prints them.
func Accuracy(v, err float64) string { return number.Accuracy(v) + " ± " + number.Accuracy(err) }

// words is the place of a point.
func words(p *compare.FrontPoint) string {
	text := "on the front"
	if !p.On {
		text = "dominated by " + p.By
	}
	if !p.Doubt {
		return text
	}
	return fmt.Sprintf("%s; its accuracy can't be told from that of %s", text, p.Against)
}

// short keeps a label beside its point.
func short(name string) string {
	const most = 30
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
