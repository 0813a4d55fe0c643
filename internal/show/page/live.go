package page

import (
	"math"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/show/chart"
)

// liveSet is the numbers of all charts of a page that answer the mouse. It is data, one
// block of JSON: the script reads it and draws.
type liveSet struct {
	X      []numbers             `json:"x"` // the places of series, each list once
	Charts map[string]*liveChart `json:"charts"`
	known  map[*float64]int
}

// liveChart is one chart as numbers.
type liveChart struct {
	Together string       `json:"together,omitempty"`
	Height   [2]int       `json:"height"` // on a screen, on a phone
	X        liveAxis     `json:"x"`
	Y        liveAxis     `json:"y"`
	Series   []liveSeries `json:"series,omitempty"`
	Heat     *liveHeat    `json:"heat,omitempty"`
	Events   []liveEvent  `json:"events,omitempty"`
}

type liveEvent struct {
	At    numbers `json:"at"` // from, to; one alone: a moment
	Label string  `json:"label"`
}

type liveAxis struct {
	Label string   `json:"label"`
	Unit  string   `json:"unit,omitempty"`
	Log   bool     `json:"log,omitempty"`
	Zero  bool     `json:"zero,omitempty"`
	Time  bool     `json:"time,omitempty"`
	Fixed bool     `json:"fixed,omitempty"` // both ends are given: they stay when something is left out
	Ends  numbers  `json:"ends"`
	At    numbers  `json:"at,omitempty"` // places with names, and those
	Names []string `json:"names,omitempty"`
}

type liveSeries struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Color  int      `json:"color"`
	Dashed bool     `json:"dashed,omitempty"`
	At     int      `json:"at"` // into the set's X
	Y      numbers  `json:"y"`
	Low    numbers  `json:"low,omitempty"`
	High   numbers  `json:"high,omitempty"`
	Labels []string `json:"labels,omitempty"`
	Hints  []string `json:"hints,omitempty"`
	Links  []string `json:"links,omitempty"`
	x      []float64
}

type liveHeat struct {
	Name   string    `json:"name"`
	X      numbers   `json:"x"`
	Y      numbers   `json:"y"`
	Counts []numbers `json:"counts"`
}

// The bounds of what a chart may hold to be drawn again by the script; a larger one
// stays the picture that it is.
const (
	mostLivePoints = 50_000
	mostLiveText   = 300
	mostLiveValue  = 1e15 // as package chart draws
)

var liveKinds = map[chart.Kind]string{chart.Line: "line", chart.Steps: "steps", chart.Points: "points", chart.LinePoints: "linepoints"}

// newLiveChart is nil for a chart that has nothing to show under the mouse, or of a kind
// that the script does not draw: bars and whiskers say what they are in the picture.
func newLiveChart(c *chart.Chart, width, height, phone int) *liveChart {
	sized := *c
	sized.Title, sized.Width, sized.Height = "", width, height
	x, y := sized.Ends()
	if !(x[0] < x[1]) || !(y[0] < y[1]) || len(c.Y.Ticks) > 0 {
		return nil
	}
	l := &liveChart{Together: c.Together, Height: [2]int{height, phone}, X: newLiveAxis(&c.X, x), Y: newLiveAxis(&c.Y, y)}
	points := 0
	for i := range c.Series {
		s, n := newLiveSeries(c, i)
		if s == nil {
			return nil
		}
		points += n
		l.Series = append(l.Series, *s)
	}
	if h := c.Heat; h != nil {
		l.Heat = &liveHeat{Name: h.Name, X: h.XEdges, Y: h.YEdges}
		for _, column := range h.Counts {
			points += len(column)
			l.Heat.Counts = append(l.Heat.Counts, column)
		}
	}
	for _, e := range c.Events {
		one := liveEvent{At: numbers{e.From}, Label: cut(e.Label)}
		if e.To > e.From {
			one.At = append(one.At, e.To)
		}
		l.Events = append(l.Events, one)
	}
	if points == 0 || points > mostLivePoints {
		return nil
	}
	return l
}

func newLiveAxis(a *chart.Axis, ends [2]float64) liveAxis {
	l := liveAxis{Label: a.Label, Unit: a.Unit, Log: a.Log, Zero: a.Zero, Time: a.Time, Fixed: a.Min != nil && a.Max != nil, Ends: ends[:]}
	if !a.Time { // the script makes round times of its own, nearer ones where it is zoomed
		for _, t := range a.Ticks {
			l.At, l.Names = append(l.At, t.At), append(l.Names, cut(t.Label))
		}
	}
	return l
}

// newLiveSeries leaves out what has no place on the axes, and tells how much is left. A
// place that is no number is a gap where the series was last.
func newLiveSeries(c *chart.Chart, i int) (*liveSeries, int) {
	s := &c.Series[i]
	kind, ok := liveKinds[s.Kind]
	bars := len(s.Low) > 0 && len(s.Low) == len(s.X) && len(s.High) == len(s.X)
	line := s.Kind != chart.Points
	if !ok || bars && (s.Kind == chart.Line || s.Kind == chart.Steps) {
		return nil, 0
	}
	color := s.Color
	if color == 0 {
		color = i + 1
	}
	l := &liveSeries{Name: cut(s.Name), Kind: kind, Color: (color-1)%chart.Colors + 1, Dashed: s.Dashed}
	whole := !slices.ContainsFunc(s.X, func(v float64) bool { return !placed(v, c.X.Log) })
	count, last := 0, math.Inf(-1)
	for k := range min(len(s.X), len(s.Y)) {
		x, y := s.X[k], s.Y[k]
		if !placed(x, c.X.Log) {
			if !line || math.IsInf(last, -1) {
				continue
			}
			x, y = last, math.NaN()
		}
		if line && x < last {
			return nil, 0 // the script draws from left to right
		}
		if last = x; !placed(y, c.Y.Log) {
			y = math.NaN()
		} else {
			count++
		}
		l.x, l.Y = append(l.x, x), append(l.Y, y)
		if bars {
			l.Low, l.High = append(l.Low, s.Low[k]), append(l.High, s.High[k])
		}
		l.Labels, l.Hints, l.Links = also(l.Labels, s.Labels, k), also(l.Hints, s.Hints, k), also(l.Links, s.Links, k)
	}
	if whole { // so that lists which are the same are found to be
		l.x = s.X[:len(l.x)]
	}
	return l, count
}

func also(list, from []string, k int) []string {
	if k < len(from) {
		return append(list, cut(from[k]))
	}
	return list
}

// placed says whether a value has a place on an axis.
func placed(v float64, log bool) bool { return math.Abs(v) <= mostLiveValue && (!log || v > 0) }

func cut(text string) string {
	if r := []rune(text); len(r) > mostLiveText {
		return string(r[:mostLiveText-1]) + "…"
	}
	return text
}

// add takes in the charts of figures.
func (s *liveSet) add(figures []Figure) {
	for i := range figures {
		l := figures[i].live
		if l == nil {
			continue
		}
		if s.Charts == nil {
			s.Charts, s.known = map[string]*liveChart{}, map[*float64]int{}
		}
		for k := range l.Series {
			l.Series[k].At = s.place(l.Series[k].x)
		}
		s.Charts[figures[i].ID] = l
	}
}

// place is where a list of places is kept.
func (s *liveSet) place(x []float64) int {
	if len(x) == 0 {
		x = []float64{}
	} else if at, ok := s.known[&x[0]]; ok && len(s.X[at]) == len(x) {
		return at
	}
	s.X = append(s.X, x)
	if len(x) > 0 {
		s.known[&x[0]] = len(s.X) - 1
	}
	return len(s.X) - 1
}

func (s *liveSet) empty() bool { return len(s.Charts) == 0 }

// numbers are written with six digits, or whole where they are large; what is no number is null.
type numbers []float64

// MarshalJSON writes them.
func (n numbers) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range n {
		if i > 0 {
			out = append(out, ',')
		}
		switch size := math.Abs(v); {
		case !(size <= mostLiveValue):
			out = append(out, "null"...)
		case size >= 1e5:
			out = strconv.AppendFloat(out, v, 'f', 0, 64)
		default:
			out = strconv.AppendFloat(out, v, 'g', 6, 64)
		}
	}
	return append(out, ']'), nil
}
