package chart

import (
	"fmt"
	"html"
	"image"
	"image/draw"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// Grid is several charts of one size in one picture, row by row.
type Grid struct {
	Title   string
	Columns int
	Charts  []*Chart
}

// headHeight is the room of a grid's title.
const headHeight = 30

// layout places the charts beside and below each other.
func (g *Grid) layout() (width, height int, marks []mark) {
	columns := max(g.Columns, 1)
	top := 0
	if g.Title != "" {
		top = headHeight
		marks = append(marks, mark{shape: words, class: "text", points: []point{{left, 20}}, text: g.Title, anchor: "start", bold: true})
	}
	for i, c := range g.Charts {
		wide, high, own := c.layout()
		x, y := (i%columns)*wide, top+(i/columns)*high
		for k := range own {
			for n := range own[k].points {
				own[k].points[n].x += float64(x)
				own[k].points[n].y += float64(y)
			}
		}
		marks = append(marks, own...)
		width, height = max(width, x+wide), max(height, y+high)
	}
	return width, height, marks
}

// SVG writes the picture as a file of its own, for light and dark.
func (g *Grid) SVG(w io.Writer) error {
	width, height, marks := g.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s" width="%d" height="%d">%s`,
		width, height, html.EscapeString(g.Title), width, height, standalone(width, height))
	for i := range marks {
		marks[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// standalone is what an SVG needs that stands in no page.
func standalone(width, height int) string {
	return fmt.Sprintf(`<style>%s.paper{fill:#fff}@media(prefers-color-scheme:dark){.paper{fill:#161616}}</style><path class="paper" d="M0 0h%dv%dH0z"/>`,
		Style(":root[data-theme=dark]"), width, height)
}

// PNG writes the picture with so many pixels for each of its own.
func (g *Grid) PNG(w io.Writer, zoom float64, dark bool) error {
	width, height, marks := g.layout()
	return paintPNG(w, width, height, marks, zoom, dark)
}

func paintPNG(w io.Writer, width, height int, marks []mark, zoom float64, dark bool) error {
	p := &painter{
		zoom: zoom, dark: dark,
		image: image.NewRGBA(image.Rect(0, 0, int(float64(width)*zoom), int(float64(height)*zoom))),
	}
	draw.Draw(p.image, p.image.Bounds(), image.NewUniform(ink("paper", dark)), image.Point{}, draw.Src)
	var err error
	if p.regular, err = face(goregular.TTF, zoom); err != nil {
		return err
	}
	defer p.regular.Close()
	if p.bold, err = face(gobold.TTF, zoom); err != nil {
		return err
	}
	defer p.bold.Close()
	for i := range marks {
		p.paint(&marks[i])
	}
	return png.Encode(w, p.image)
}
