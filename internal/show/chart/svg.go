package chart

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

// SVG writes the picture as a file of its own, for light and dark.
func (c *Chart) SVG(w io.Writer) error { return c.svg(w, true) }

// Inline writes the picture to stand in a page that has Style.
func (c *Chart) Inline(w io.Writer) error { return c.svg(w, false) }

func (c *Chart) svg(w io.Writer, alone bool) error {
	width, height, marks := c.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s"`,
		width, height, html.EscapeString(c.described()))
	if alone {
		fmt.Fprintf(&b, ` width="%d" height="%d">%s`, width, height, standalone(width, height))
	} else {
		b.WriteString(">")
	}
	marks = heatPaths(&b, marks)
	for i := range marks {
		marks[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// manyCells is where the cells of a heat map are written together by shade, which
// takes a tenth of the room; single ones can then say nothing under the mouse.
const (
	manyCells = 400
	shades    = 24
)

// heatPaths writes the cells of a large heat map and returns the other marks, which lie above.
func heatPaths(b *strings.Builder, marks []mark) []mark {
	paths, rest, cells := make([]strings.Builder, shades+1), []mark(nil), 0
	for i := range marks {
		m := &marks[i]
		if m.shape != rect || m.class != "heat" {
			rest = append(rest, *m)
			continue
		}
		cells++
		x, y, wide, high := m.box()
		fmt.Fprintf(&paths[int(m.opacity*shades)], "M%s %sh%sv%sh-%sz", digits(x), digits(y), digits(wide), digits(high), digits(wide))
	}
	if cells <= manyCells {
		return marks
	}
	for i := range paths {
		if paths[i].Len() > 0 {
			fmt.Fprintf(b, `<path class="heat" opacity="%s" d="%s"/>`, digits(float64(i)/shades), paths[i].String())
		}
	}
	return rest
}

// described is what a screen reader says.
func (c *Chart) described() string {
	var names []string
	for i := range c.Series {
		if n := c.Series[i].Name; n != "" {
			names = append(names, n)
		}
	}
	text := c.Title
	if text == "" {
		text = c.Y.Label + " against " + c.X.Label
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

func (m *mark) svg(b *strings.Builder) {
	switch m.shape {
	case path:
		dash := ""
		if m.dashed {
			dash = ` stroke-dasharray="5 4"`
		}
		fmt.Fprintf(b, `<polyline class="%s" points="%s"%s/>`, m.class, places(m.points), dash)
	case area:
		fmt.Fprintf(b, `<polygon class="%s" points="%s" opacity="%s"/>`, m.class, places(m.points), digits(m.opacity))
	case rect:
		x, y, wide, high := m.box()
		fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" opacity="%s">%s</rect>`,
			m.class, digits(x), digits(y), digits(wide), digits(high), digits(m.opacity), m.title())
	case dot:
		fmt.Fprintf(b, `<circle class="%s" cx="%s" cy="%s" r="3.5">%s</circle>`, m.class, digits(m.points[0].x), digits(m.points[0].y), m.title())
	case words:
		more := ""
		if m.bold {
			more = ` font-weight="600"`
		}
		if m.turned {
			more += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, digits(m.points[0].x), digits(m.points[0].y))
		}
		fmt.Fprintf(b, `<text class="%s" x="%s" y="%s" text-anchor="%s"%s>%s</text>`,
			m.class, digits(m.points[0].x), digits(m.points[0].y), m.anchor, more, html.EscapeString(m.text))
	}
}

func (m *mark) title() string {
	if m.hint == "" {
		return ""
	}
	return "<title>" + html.EscapeString(m.hint) + "</title>"
}

// box is a rectangle's corner and size.
func (m *mark) box() (x, y, wide, high float64) {
	a, b := m.points[0], m.points[1]
	x, y = min(a.x, b.x), min(a.y, b.y)
	return x, y, max(a.x, b.x) - x, max(a.y, b.y) - y
}

// places are points with a tenth of a pixel: more is not seen, and a page holds many.
func places(points []point) string {
	var b strings.Builder
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(digits(p.x) + "," + digits(p.y))
	}
	return b.String()
}

func digits(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	if v > 0 && v < 1 {
		text = strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strings.TrimSuffix(text, ".0")
}
