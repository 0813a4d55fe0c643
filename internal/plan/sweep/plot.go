package sweep

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/stats"
)

// Plot says what is drawn of an experiment's results.
type Plot struct {
	FigBy, RowBy, ColBy, CurveBy []string // variables: a figure, row, column, curve for each of their values
	X, Y                         string
	Filters                      []Filter
	FilterBy                     string // the same, as they were given
	Bins                         []Bin
	LogX, LogY                   bool
	Name                         string // how file names begin
	ErrorBars                    bool
	Height                       float64 // of a panel, in inches
	DPI                          int
}

// Figures makes the figures.
func (p *Plot) Figures(records []Object) ([]Figure, error) {
	if err := p.check(records); err != nil {
		return nil, err
	}
	var out []Figure
	for _, g := range groupBy(records, p.FigBy) {
		out = append(out, p.figure(g))
	}
	return out, nil
}

// check finds variables that are in no result.
func (p *Plot) check(records []Object) error {
	for _, c := range []struct {
		flag string
		keys []string
	}{
		{"--fig-by", p.FigBy},
		{"--row-by", p.RowBy},
		{"--col-by", p.ColBy},
		{"--curve-by", p.CurveBy},
		{"--var-x", []string{p.X}},
		{"--var-y", []string{p.Y}},
	} {
		if err := known(records, c.flag, c.keys...); err != nil {
			return err
		}
	}
	for _, f := range p.Filters {
		if err := known(records, "--filter-by", f.Var); err != nil {
			return err
		}
	}
	for _, b := range p.Bins {
		if err := known(records, "--bin-by", b.Var); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plot) figure(g group) Figure {
	f := Figure{Group: g.title(), Name: figureName(p.Name, g), Zoom: float64(p.DPI) / pixelsPerInch, colors: map[string]int{}}
	selected := p.selected(g.records)
	rows, columns := groupBy(selected, p.RowBy), groupBy(selected, p.ColBy)
	for i, curve := range groupBy(selected, p.CurveBy) {
		f.colors[curve.text] = i + 1
	}
	for _, row := range rows {
		var panels []*chart.Chart
		for _, column := range columns {
			panels = append(panels, p.panel(&f, row, column))
		}
		f.Panels = append(f.Panels, panels)
	}
	f.shareAxes()
	return f
}

// selected are the results that pass the filters, put into bins.
func (p *Plot) selected(records []Object) (out []Object) {
	for _, o := range records {
		if slices.ContainsFunc(p.Filters, func(f Filter) bool { return !f.keeps(o) }) {
			continue
		}
		for _, b := range p.Bins {
			o = b.apply(o)
		}
		out = append(out, o)
	}
	return out
}

// panel draws the results of one row and one column.
func (p *Plot) panel(f *Figure, row, column group) *chart.Chart {
	size := int(p.Height * pixelsPerInch)
	c := &chart.Chart{
		X: chart.Axis{Label: p.X, Log: p.LogX}, Y: chart.Axis{Label: p.Y, Log: p.LogY},
		Width: size, Height: size, Title: joinTitles(row.title(), column.title()),
	}
	both := groupBy(row.records, p.ColBy)
	at := slices.IndexFunc(both, func(g group) bool { return g.text == column.text })
	if at < 0 {
		return c
	}
	for _, curve := range groupBy(both[at].records, p.CurveBy) {
		s, left := p.curve(curve)
		f.Points += len(curve.records) - left
		f.Left += left
		for _, o := range curve.records {
			if invalid(o) || few(o, p.X) || few(o, p.Y) {
				f.Doubtful++
			}
		}
		s.Color = f.colors[curve.text]
		if len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

func joinTitles(row, column string) string {
	if row != "" && column != "" {
		return row + ", " + column
	}
	return row + column
}

// curve is the mean of Y at each X, with the standard deviation of the runs around
// it. Results without a finite X and Y are left out, and counted.
func (p *Plot) curve(g group) (s chart.Series, left int) {
	ys := map[float64][]float64{}
	for _, o := range g.records {
		x, ok1 := valueOf(o, p.X)
		y, ok2 := valueOf(o, p.Y)
		if !ok1 || !ok2 || math.IsInf(x, 0) || math.IsInf(y, 0) || p.LogX && x <= 0 || p.LogY && y <= 0 {
			left++
			continue
		}
		ys[x] = append(ys[x], y)
	}
	s = chart.Series{Name: g.title(), Kind: chart.LinePoints}
	for x := range ys {
		s.X = append(s.X, x)
	}
	slices.Sort(s.X)
	for _, x := range s.X {
		mean, deviation := spreadOf(ys[x])
		s.Y = append(s.Y, mean)
		if p.ErrorBars {
			low := mean - deviation
			if p.LogY && low <= 0 {
				low = slices.Min(ys[x]) // a logarithm has no place for it
			}
			s.Low, s.High = append(s.Low, low), append(s.High, mean+deviation)
		}
	}
	return s, left
}

// spreadOf is the mean and the standard deviation of a sample; that of one value is 0.
func spreadOf(values []float64) (mean, deviation float64) {
	m := stats.MomentsOf(values)
	return m.Mean, math.Sqrt(m.Variance())
}

// figureName is the name of a figure's file, without an ending.
func figureName(prefix string, g group) string {
	name := prefix
	for i, key := range g.keys {
		name += fmt.Sprintf("-%s=%s", key, pyjson.Str(g.values[i]))
	}
	return fileName(name)
}
