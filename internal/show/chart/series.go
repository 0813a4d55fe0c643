package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// series draws one set of values.
func (l *canvas) series(i int) {
	s := &l.c.Series[i]
	class := l.class(i)
	switch s.Kind {
	case Bars:
		l.columns(s, class)
		return
	case Spans:
		l.spans(s, class)
		return
	case Whiskers:
		l.whiskers(s, class)
		l.dots(s, class)
		return
	}
	if len(s.Low) == len(s.X) && len(s.High) == len(s.X) && len(s.X) > 0 {
		if s.Kind == Points || s.Kind == LinePoints {
			l.bars(s, class)
		} else {
			l.band(s, class)
		}
	}
	if s.Kind != Points {
		l.line(s, class)
	}
	if s.Kind == Points || s.Kind == LinePoints {
		l.dots(s, class)
	}
}

const loneStroke = 2.5 // pixels to each side

// line draws a polyline for each part without a gap.
func (l *canvas) line(s *Series, class string) {
	var part []point
	flush := func() {
		if len(part) == 1 { // alone between gaps: a short stroke, so that it is seen
			part = []point{{max(part[0].x-loneStroke, l.left), part[0].y}, {min(part[0].x+loneStroke, l.right), part[0].y}}
		}
		if len(part) > 1 {
			l.add(mark{shape: path, class: class, points: part, dashed: s.Dashed})
		}
		part = nil
	}
	for k := range s.X {
		p, ok := l.at(s.X[k], s.Y[k])
		if !ok {
			flush()
			continue
		}
		if s.Kind == Steps && len(part) > 0 {
			part = append(part, point{p.x, part[len(part)-1].y})
		}
		part = append(part, p)
	}
	flush()
}

func (l *canvas) dots(s *Series, class string) {
	for k := range s.X {
		p, ok := l.at(s.X[k], s.Y[k])
		if !ok {
			continue
		}
		tip := fmt.Sprintf("%s: %s, %s", s.Name, short(s.X[k]), short(s.Y[k]))
		if k < len(s.Hints) {
			tip = s.Hints[k]
		}
		if k < len(s.Labels) && s.Labels[k] != "" {
			tip = s.Labels[k] + ": " + tip
			l.label(p, s.Labels[k])
		}
		l.add(mark{shape: dot, class: class, points: []point{p}, hint: tip})
	}
}

// label writes beside a point what it is: to the left and above, where a rising line does not pass, or where there is
// room. Where there is none, only the mouse tells it.
func (l *canvas) label(p point, text string) {
	wide := float64(utf8.RuneCountInString(text)) * charWidth
	for _, below := range []bool{false, true} {
		for _, left := range []bool{true, false} {
			b := box{p.x + 6, p.y - 5 - labelSize, p.x + 6 + wide, p.y - 3}
			anchor, at := "start", point{p.x + 6, p.y - 5}
			if left {
				b.left, b.right = p.x-6-wide, p.x-6
				anchor, at.x = "end", p.x-6
			}
			if below {
				b.top, b.bottom = p.y+4, p.y+4+labelSize
				at.y = p.y + 14
			}
			if b.left < l.left || b.right > l.right+10 || b.top < l.top-labelSize || b.bottom > l.bottom || slices.ContainsFunc(l.labels, b.overlaps) {
				continue
			}
			l.labels = append(l.labels, b)
			l.add(mark{shape: words, class: "muted", points: []point{at}, text: text, anchor: anchor})
			return
		}
	}
}

// box is where a label lies.
type box struct{ left, top, right, bottom float64 }

func (a box) overlaps(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func (l *canvas) bars(s *Series, class string) {
	for k := range s.X {
		a, ok1 := l.at(s.X[k], s.Low[k])
		b, ok2 := l.at(s.X[k], s.High[k])
		if ok1 && ok2 {
			l.add(mark{shape: path, class: class, points: []point{a, b}})
		}
	}
}

// whiskers draws lying bars, with an upright stroke at each end.
func (l *canvas) whiskers(s *Series, class string) {
	const stroke = 3.5
	for k := range min(len(s.X), len(s.Low), len(s.High)) {
		a, ok1 := l.at(s.Low[k], s.Y[k])
		b, ok2 := l.at(s.High[k], s.Y[k])
		if !ok1 || !ok2 {
			continue
		}
		l.add(mark{shape: path, class: class, points: []point{a, b}})
		for _, end := range []point{a, b} {
			l.add(mark{shape: path, class: class, points: []point{{end.x, end.y - stroke}, {end.x, end.y + stroke}}})
		}
	}
}

// spans draws lying bars. Rows are one apart.
func (l *canvas) spans(s *Series, class string) {
	const least = 0.6 // pixels: what is shorter is still there
	high := min(math.Abs(l.y.at(0)-l.y.at(1))*0.7, 14)
	opacity := 0.9
	if s.Dashed {
		high, opacity = 1.4, 0.6
	}
	for k := range min(len(s.Y), len(s.Low), len(s.High)) {
		a, ok1 := l.at(s.Low[k], s.Y[k])
		b, ok2 := l.at(s.High[k], s.Y[k])
		if !ok1 || !ok2 {
			continue
		}
		hint := ""
		if k < len(s.Hints) {
			hint = s.Hints[k]
		}
		l.add(mark{shape: rect, class: class, points: []point{{a.x, a.y - high/2}, {max(b.x, a.x+least), b.y + high/2}}, opacity: opacity, hint: hint})
	}
}

// barEnd is where a bar ends: where the next one begins.
func (s *Series) barEnd(k int) float64 {
	switch {
	case k+1 < len(s.X):
		return s.X[k+1]
	case k > 0:
		return 2*s.X[k] - s.X[k-1]
	}
	return s.X[k] + 1
}

// columns draws bars that stand side by side.
func (l *canvas) columns(s *Series, class string) {
	for k := range s.X {
		low, right := 0.0, s.barEnd(k)
		if k < len(s.Low) {
			low = s.Low[k]
		}
		a, ok1 := l.at(s.X[k], low)
		b, ok2 := l.at(right, s.Y[k])
		if !ok1 || !ok2 || s.Y[k] == low {
			continue
		}
		tip := fmt.Sprintf("%s %s–%s: %s", s.Name, short(s.X[k]), short(right), short(s.Y[k]-low))
		if k < len(s.Hints) {
			tip = s.Hints[k]
		}
		if b.x-a.x > 3 {
			b.x-- // so that they are told apart
		}
		l.add(mark{shape: rect, class: class, points: []point{a, b}, opacity: 0.75, hint: tip})
	}
}

func (l *canvas) band(s *Series, class string) {
	var upper, lower []point
	for k := range s.X {
		a, ok1 := l.at(s.X[k], s.Low[k])
		b, ok2 := l.at(s.X[k], s.High[k])
		if ok1 && ok2 {
			lower, upper = append(lower, a), append(upper, b)
		}
	}
	for k := len(lower) - 1; k >= 0; k-- {
		upper = append(upper, lower[k])
	}
	if len(upper) > 2 {
		l.add(mark{shape: area, class: class, points: upper, opacity: 0.2})
	}
}

func short(v float64) string { return fmt.Sprintf("%.4g", v) }

func hint(h *Heat, i, j int, n float64) string {
	return fmt.Sprintf("%.0f %s at %s–%s, %s–%s", n, h.Name, short(h.XEdges[i]), short(h.XEdges[i+1]), short(h.YEdges[j]), short(h.YEdges[j+1]))
}
