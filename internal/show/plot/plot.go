// Package plot draws small pictures in a terminal, with the dots of Braille: two by
// four of them in each character.
package plot

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// Plot is a line over an axis. A NaN is a gap.
type Plot struct {
	Title  string
	X, Y   []float64
	XUnit  string
	Width  int     // columns in all; at least 30
	Height int     // lines of the picture; 0: 6
	Max    float64 // of Y; 0: as high as the values
	LogX   bool
}

const labelWidth = 8

// Write draws the plot.
func (p *Plot) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	height := p.Height
	if height <= 0 {
		height = 6
	}
	width := max(p.Width, 30) - labelWidth - 2
	fmt.Fprintln(b, p.Title)
	x := p.X
	if p.LogX {
		x = make([]float64, len(p.X))
		for i, v := range p.X {
			x[i] = math.Log10(v)
		}
	}
	low, high := bounds(x)
	_, top := bounds(p.Y)
	if p.Max > 0 {
		top = p.Max
	}
	if math.IsInf(low, 0) || math.IsInf(top, 0) {
		fmt.Fprintln(b, strings.Repeat(" ", labelWidth)+"  nothing to draw")
		return b.Flush()
	}
	if top <= 0 {
		top = 1
	}
	c := newCanvas(width, height)
	c.line(x, p.Y, low, high, top)
	for i := range height {
		label := ""
		switch i {
		case 0:
			label = short(top)
		case height - 1:
			label = "0"
		}
		fmt.Fprintf(b, "%*s ┤%s\n", labelWidth, label, c.row(i))
	}
	if p.LogX {
		low, high = math.Pow(10, low), math.Pow(10, high)
	}
	from, to := short(low), short(high)+" "+p.XUnit
	if p.LogX {
		to += ", log"
	}
	fmt.Fprintf(b, "%*s └%s%*s\n", labelWidth, "", from, max(width-len([]rune(from)), len([]rune(to))+1), to)
	return b.Flush()
}

func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// canvas holds the dots.
type canvas struct {
	wide, high int // characters
	cells      []rune
}

func newCanvas(wide, high int) *canvas {
	return &canvas{wide, high, make([]rune, wide*high)}
}

// bits are the dots of a Braille character, by column and row.
var bits = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

func (c *canvas) dot(x, y int) {
	if x < 0 || y < 0 || x >= 2*c.wide || y >= 4*c.high {
		return
	}
	c.cells[y/4*c.wide+x/2] |= bits[x%2][y%4]
}

func (c *canvas) row(i int) string {
	out := make([]rune, c.wide)
	for k, v := range c.cells[i*c.wide : (i+1)*c.wide] {
		out[k] = ' '
		if v != 0 {
			out[k] = 0x2800 + v
		}
	}
	return strings.TrimRight(string(out), " ")
}

// line joins the points that have no gap between them.
func (c *canvas) line(xs, ys []float64, low, high, top float64) {
	if high <= low {
		high = low + 1
	}
	x0, y0, had := 0, 0, false
	for i := range xs {
		if math.IsNaN(ys[i]) {
			had = false
			continue
		}
		x := int(math.Round((xs[i] - low) / (high - low) * float64(2*c.wide-1)))
		y := int(math.Round((1 - min(ys[i]/top, 1)) * float64(4*c.high-1)))
		if !had {
			x0, y0 = x, y
		}
		c.segment(x0, y0, x, y)
		x0, y0, had = x, y, true
	}
}

func (c *canvas) segment(x0, y0, x1, y1 int) {
	steps := max(abs(x1-x0), abs(y1-y0), 1)
	for k := range steps + 1 {
		t := float64(k) / float64(steps)
		c.dot(x0+int(math.Round(t*float64(x1-x0))), y0+int(math.Round(t*float64(y1-y0))))
	}
}

func abs(n int) int { return max(n, -n) }

// short is a number of at most labelWidth characters.
func short(v float64) string {
	if a := math.Abs(v); a < 1e7 && (v == math.Trunc(v) || a >= 1000) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
