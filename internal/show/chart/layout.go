package chart

import (
	"math"
	"unicode/utf8"
)

// shape is what a mark is.
type shape int

const (
	path  shape = iota // a polyline
	area               // a filled polygon
	rect               // filled
	dot                // a filled circle
	words              // text
)

// mark is one thing on the picture, in pixels.
type mark struct {
	shape  shape
	class  string // grid, axis, text, muted, s1…s8, heat
	points []point
	dashed bool
	// of words
	text   string
	anchor string // start, middle, end
	turned bool   // a quarter to the left
	bold   bool
	// of rectangles
	opacity float64
	hint    string // shown where a mouse rests
}

type point struct{ x, y float64 }

// The room around the plot, in pixels.
const (
	left, right   = 58, 20
	top, bottom   = 14, 44
	titleHeight   = 22
	legendHeight  = 20
	charWidth     = 6.6 // of the labels, on average
	labelSize     = 12
	legendPadding = 36
)

// layout turns a chart into marks. Everything that both pictures need is decided here.
func (c *Chart) layout() (width, height int, marks []mark) {
	width, height = c.size()
	l := &canvas{c: c, left: leftOf(&c.Y, width), right: float64(width - right), top: top, bottom: float64(height - bottom)}
	if c.Title != "" {
		l.top += titleHeight
		l.add(mark{shape: words, class: "text", points: []point{{l.left, top + 8}}, text: c.Title, anchor: "start", bold: true})
	}
	l.legend()
	l.axes()
	if c.Heat != nil {
		l.heat()
	}
	l.events()
	for i := range c.Series {
		l.series(i)
	}
	if l.empty() {
		text := c.Empty
		if text == "" {
			text = "nothing to draw"
		}
		l.add(mark{shape: words, class: "muted", points: []point{{(l.left + l.right) / 2, (l.top + l.bottom) / 2}}, text: text, anchor: "middle"})
	}
	return width, height, l.marks
}

// Ends are where the axes begin and end, as the picture of this size shows them.
func (c *Chart) Ends() (x, y [2]float64) {
	width, height := c.size()
	l := &canvas{c: c, left: leftOf(&c.Y, width), right: float64(width - right), top: top, bottom: float64(height - bottom)}
	l.legend()
	l.axes()
	return [2]float64{l.x.min, l.x.max}, [2]float64{l.y.min, l.y.max}
}

// leftOf is the room to the left of the plot: more where its places have names, and at
// most two fifths of the whole.
func leftOf(y *Axis, width int) float64 {
	most := 0
	for _, t := range y.Ticks {
		most = max(most, utf8.RuneCountInString(t.Label))
	}
	return min(max(float64(most)*charWidth+14, left), float64(width)*2/5)
}

// named are the places of the left axis that the chart itself names; without any, the
// usual ones. A name that is too long for the room is cut.
func (l *canvas) named(usual []tick) []tick {
	if len(l.c.Y.Ticks) == 0 {
		return usual
	}
	var out []tick
	room := int((l.left - 10) / charWidth)
	free := math.Inf(1)
	for _, t := range l.c.Y.Ticks {
		y := l.y.at(t.At)
		if !l.y.ok(t.At) || math.Abs(free-y) < labelSize {
			continue
		}
		label := []rune(t.Label)
		if len(label) > room {
			label = append(label[:max(room-1, 0)], '…')
		}
		out, free = append(out, tick{t.At, string(label)}), y
	}
	return out
}

type canvas struct {
	c                        *Chart
	left, right, top, bottom float64
	x, y                     scale
	marks                    []mark
	labels                   []box // of points, so that none lies on another
}

func (l *canvas) add(m mark) { l.marks = append(l.marks, m) }

func (l *canvas) empty() bool {
	if l.c.Heat != nil && len(l.c.Heat.Counts) > 0 {
		return false
	}
	for i := range l.c.Series {
		s := &l.c.Series[i]
		for k := range min(len(s.X), len(s.Y)) {
			if l.x.ok(s.X[k]) && l.y.ok(s.Y[k]) {
				return false
			}
		}
	}
	return true
}

// class is the colour of a series.
func (l *canvas) class(i int) string {
	n := l.c.Series[i].Color
	if n == 0 {
		n = i%len(palette) + 1
	}
	return seriesClass(n)
}

// legend names the series, if there is more than one, and takes room for it.
func (l *canvas) legend() {
	named := 0
	for i := range l.c.Series {
		if l.c.Series[i].Name != "" {
			named++
		}
	}
	if named < 2 {
		return
	}
	x, y := l.left, l.top+4
	for i := range l.c.Series {
		name := l.c.Series[i].Name
		if name == "" {
			continue
		}
		wide := legendPadding + float64(len(name))*charWidth
		if x > l.left && x+wide > l.right {
			x, y = l.left, y+legendHeight
		}
		if l.c.Series[i].Kind == Points {
			l.add(mark{shape: dot, class: l.class(i), points: []point{{x + 8, y}}})
		} else {
			l.add(mark{shape: path, class: l.class(i), points: []point{{x, y}, {x + 16, y}}, dashed: l.c.Series[i].Dashed})
		}
		l.add(mark{shape: words, class: "text", points: []point{{x + 20, y + 4}}, text: name, anchor: "start"})
		x += wide
	}
	l.top = y + legendHeight - 4
}

func (l *canvas) axes() {
	var ticksX, ticksY []tick
	l.x, ticksX = fit(&l.c.X, l.values(true), l.left, l.right, max(int((l.right-l.left)/80), 3))
	l.y, ticksY = fit(&l.c.Y, l.values(false), l.bottom, l.top, int((l.bottom-l.top)/30))
	ticksX, ticksY = l.given(ticksX), l.named(ticksY)
	for _, t := range ticksY {
		y := l.y.at(t.value)
		l.add(mark{shape: path, class: "grid", points: []point{{l.left, y}, {l.right, y}}})
		l.add(mark{shape: words, class: "muted", points: []point{{l.left - 6, y + 4}}, text: t.label, anchor: "end"})
	}
	for _, t := range ticksX {
		x := l.x.at(t.value)
		l.add(mark{shape: path, class: "grid", points: []point{{x, l.top}, {x, l.bottom}}})
		l.add(mark{shape: words, class: "muted", points: []point{{x, l.bottom + 16}}, text: t.label, anchor: "middle"})
	}
	l.add(mark{shape: path, class: "axis", points: []point{{l.left, l.top}, {l.left, l.bottom}, {l.right, l.bottom}}})
	l.add(mark{shape: words, class: "text", points: []point{{(l.left + l.right) / 2, l.bottom + 34}}, text: l.c.X.Label, anchor: "middle"})
	l.add(mark{shape: words, class: "text", points: []point{{14, (l.top + l.bottom) / 2}}, text: l.c.Y.Label, anchor: "middle", turned: true})
}

// events draws lines and bands, with their words at the top, one below the other where they are close.
func (l *canvas) events() {
	const rows, line, most = 3, 14, 24
	var free [rows]float64
	for i := range l.c.Events {
		e := &l.c.Events[i]
		if !l.x.ok(e.From) || e.From < l.x.min || e.From > l.x.max {
			continue
		}
		x := l.x.at(e.From)
		if l.x.ok(e.To) && e.To > e.From {
			l.add(mark{shape: rect, class: "event", points: []point{{x, l.top}, {min(l.x.at(e.To), l.right), l.bottom}}, opacity: 0.13, hint: e.Hint})
		}
		l.add(mark{shape: path, class: "event", points: []point{{x, l.top}, {x, l.bottom}}, dashed: true})
		label := []rune(e.Label)
		if len(label) > most {
			label = append(label[:most-1], '…')
		}
		wide := float64(len(label))*charWidth + 6
		for row := range rows {
			from, anchor, at := x, "start", x+4
			if x+wide > l.right+right { // then to the left of it
				from, anchor, at = x-wide, "end", x-4
			}
			if from < max(free[row], l.left) {
				continue
			}
			free[row] = from + wide
			l.add(mark{shape: words, class: "event", points: []point{{at, l.top + float64(row+1)*line - 3}}, text: string(label), anchor: anchor})
			break
		}
	}
}

// given are the ticks that the chart itself names, as far as their words have room
// beside each other; without any, the usual ones.
func (l *canvas) given(usual []tick) []tick {
	if len(l.c.X.Ticks) == 0 {
		return usual
	}
	var out []tick
	free := math.Inf(-1)
	for _, t := range l.c.X.Ticks {
		half := float64(utf8.RuneCountInString(t.Label))*charWidth/2 + 6
		if x := l.x.at(t.At); l.x.ok(t.At) && x-half >= free && x >= l.left && x+half <= l.right+right {
			out, free = append(out, tick{t.At, t.Label}), x+half
		}
	}
	return out
}

// lies says that Low and High are places on the lower axis.
func (k Kind) lies() bool { return k == Whiskers || k == Spans }

// values are all values of one axis.
func (l *canvas) values(x bool) func(func(float64)) {
	return func(yield func(float64)) {
		each := func(lists ...[]float64) {
			for _, list := range lists {
				for _, v := range list {
					yield(v)
				}
			}
		}
		for i := range l.c.Series {
			s := &l.c.Series[i]
			if x {
				each(s.X)
				if s.Kind.lies() {
					each(s.Low, s.High)
				}
				if s.Kind == Bars && len(s.X) > 0 {
					yield(s.barEnd(len(s.X) - 1))
				}
			} else if each(s.Y); !s.Kind.lies() {
				each(s.Low, s.High)
			}
		}
		if h := l.c.Heat; h != nil && x {
			each(h.XEdges)
		} else if h != nil {
			each(h.YEdges)
		}
	}
}

// at is a point's place; false where it can't be shown.
func (l *canvas) at(x, y float64) (point, bool) {
	if !l.x.ok(x) || !l.y.ok(y) {
		return point{}, false
	}
	// A value beyond a fixed axis is drawn at its edge: it is there, only further away.
	y = min(max(l.y.at(y), l.top), l.bottom)
	return point{min(max(l.x.at(x), l.left), l.right), y}, true
}

func (l *canvas) heat() {
	h := l.c.Heat
	counts := func(n float64) bool { return n > 0 && n <= mostValue } // also what is no number does not
	most := 0.0
	for _, row := range h.Counts {
		for _, n := range row {
			if counts(n) {
				most = max(most, n)
			}
		}
	}
	for i, row := range h.Counts {
		for j, n := range row {
			if !counts(n) {
				continue
			}
			a, ok1 := l.at(h.XEdges[i], h.YEdges[j])
			b, ok2 := l.at(h.XEdges[i+1], h.YEdges[j+1])
			if !ok1 || !ok2 {
				continue
			}
			// Counts differ by orders: their logarithm is shown.
			share := math.Log1p(n) / math.Log1p(most)
			l.add(mark{shape: rect, class: "heat", points: []point{a, b}, opacity: 0.12 + 0.88*share, hint: hint(h, i, j, n)})
		}
	}
}
