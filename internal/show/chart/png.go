package chart

import (
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// PNG writes the picture with so many pixels for each of its own: 2 for screens of today.
func (c *Chart) PNG(w io.Writer, zoom float64, dark bool) error {
	width, height, marks := c.layout()
	return paintPNG(w, width, height, marks, zoom, dark)
}

func face(ttf []byte, zoom float64) (font.Face, error) {
	f, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: labelSize * zoom, DPI: 72, Hinting: font.HintingNone})
}

type painter struct {
	image         *image.RGBA
	zoom          float64
	dark          bool
	regular, bold font.Face
}

func (p *painter) paint(m *mark) {
	c := ink(m.class, p.dark)
	switch m.shape {
	case path:
		wide := 1.8
		if m.class == "grid" || m.class == "axis" || m.class == "event" {
			wide = 1
		}
		p.polyline(m.points, wide, m.dashed, c)
	case area:
		c.A = uint8(m.opacity * 255)
		p.fill(m.points, c)
	case rect:
		x, y, wide, high := m.box()
		c.A = uint8(m.opacity * 255)
		p.fill([]point{{x, y}, {x + wide, y}, {x + wide, y + high}, {x, y + high}}, c)
	case dot:
		p.fill(circle(m.points[0], 3.5), c)
	case words:
		p.words(m, c)
	}
}

// brush collects polygons and paints them at once, smoothly. It only works on the
// part of the picture that they cover.
type brush struct {
	polygons [][]point // in pixels of the image
}

func (b *brush) add(zoom float64, points ...point) {
	polygon := make([]point, len(points))
	for i, q := range points {
		polygon[i] = point{q.x * zoom, q.y * zoom}
	}
	b.polygons = append(b.polygons, polygon)
}

func (b *brush) paint(on *image.RGBA, c color.NRGBA) {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, polygon := range b.polygons {
		for _, q := range polygon {
			low, high = point{min(low.x, q.x), min(low.y, q.y)}, point{max(high.x, q.x), max(high.y, q.y)}
		}
	}
	covered := image.Rect(int(low.x)-1, int(low.y)-1, int(high.x)+2, int(high.y)+2).Intersect(on.Bounds())
	if covered.Empty() {
		return
	}
	r := vector.NewRasterizer(covered.Dx(), covered.Dy())
	place := func(q point) (x, y float32) {
		return float32(q.x - float64(covered.Min.X)), float32(q.y - float64(covered.Min.Y))
	}
	for _, polygon := range b.polygons {
		r.MoveTo(place(polygon[0]))
		for _, q := range polygon[1:] {
			r.LineTo(place(q))
		}
		r.ClosePath()
	}
	r.Draw(on, covered, image.NewUniform(c), image.Point{})
}

// fill fills a polygon.
func (p *painter) fill(points []point, c color.NRGBA) {
	if len(points) < 3 {
		return
	}
	var b brush
	b.add(p.zoom, points...)
	b.paint(p.image, c)
}

func circle(at point, radius float64) []point {
	out := make([]point, 20)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(out)))
		out[i] = point{at.x + radius*cos, at.y + radius*sin}
	}
	return out
}

// polyline draws each part as a thin rectangle.
func (p *painter) polyline(points []point, wide float64, dashed bool, c color.NRGBA) {
	var brush brush
	walked := 0.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		for _, part := range parts(walked, length, dashed) {
			at := func(d float64) point { return point{a.x + (b.x-a.x)*d/length, a.y + (b.y-a.y)*d/length} }
			brush.line(p.zoom, at(part[0]), at(part[1]), wide)
		}
		walked += length
	}
	brush.paint(p.image, c)
}

// parts are the pieces of a stretch that are drawn: all of it, or its dashes.
func parts(walked, length float64, dashed bool) [][2]float64 {
	if !dashed {
		return [][2]float64{{0, length}}
	}
	const on, period = 5.0, 9.0
	var out [][2]float64
	for from := -math.Mod(walked, period); from < length; from += period {
		if to := min(from+on, length); to > 0 {
			out = append(out, [2]float64{max(from, 0), to})
		}
	}
	return out
}

// line adds a thin rectangle.
func (b *brush) line(zoom float64, from, to point, wide float64) {
	length := math.Hypot(to.x-from.x, to.y-from.y)
	if length == 0 {
		return
	}
	dx, dy := -(to.y-from.y)/length*wide/2, (to.x-from.x)/length*wide/2
	b.add(zoom, point{from.x + dx, from.y + dy}, point{to.x + dx, to.y + dy}, point{to.x - dx, to.y - dy}, point{from.x - dx, from.y - dy})
}

func (p *painter) words(m *mark, c color.NRGBA) {
	f := p.regular
	if m.bold {
		f = p.bold
	}
	at := m.points[0]
	wide := float64(font.MeasureString(f, m.text)) / 64
	shift := map[string]float64{"middle": wide / 2, "end": wide}[m.anchor]
	if !m.turned {
		d := font.Drawer{Dst: p.image, Src: image.NewUniform(c), Face: f, Dot: dotAt(at.x*p.zoom-shift, at.y*p.zoom)}
		d.DrawString(m.text)
		return
	}
	// A turned text is drawn on a strip, which is then turned.
	high := int(labelSize*p.zoom*1.5) + 1
	strip := image.NewRGBA(image.Rect(0, 0, int(wide)+2, high))
	base := labelSize * p.zoom * 1.1
	d := font.Drawer{Dst: strip, Src: image.NewUniform(c), Face: f, Dot: dotAt(0, base)}
	d.DrawString(m.text)
	turned := image.NewRGBA(image.Rect(0, 0, high, int(wide)+2))
	for y := range high {
		for x := range int(wide) + 2 {
			turned.Set(y, int(wide)+1-x, strip.At(x, y))
		}
	}
	to := image.Pt(int(at.x*p.zoom-base), int(at.y*p.zoom-wide/2))
	draw.Draw(p.image, turned.Bounds().Add(to), turned, image.Point{}, draw.Over)
}

func dotAt(x, y float64) fixed.Point26_6 {
	return fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
}
