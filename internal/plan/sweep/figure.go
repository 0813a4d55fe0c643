package sweep

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/inferometer/inferometer/internal/show/chart"
)

// pixelsPerInch is the resolution of the charts' layout, at which a panel of 6.4 inches
// has readable labels. The PNG is scaled up to the DPI.
const pixelsPerInch = 75

// Figure is a grid of panels, drawn into one file.
type Figure struct {
	Group  string // the values that it is for, as k=v
	Name   string // of its file, without an ending
	Zoom   float64
	Panels [][]*chart.Chart
	Points int // results that are drawn
	Left   int // results that have no finite X and Y
	// Doubtful are results that are drawn, as vLLM does, and INVALID or too few for the percentile.
	Doubtful int

	colors map[string]int // a curve has one colour in all panels
}

// Grid is the number of rows and columns.
func (f *Figure) Grid() (rows, columns int) {
	if len(f.Panels) == 0 {
		return 0, 0
	}
	return len(f.Panels), len(f.Panels[0])
}

func (f *Figure) each(do func(row, column int, c *chart.Chart) error) error {
	for i, row := range f.Panels {
		for j, c := range row {
			if err := do(i, j, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// shareAxes gives all panels the same axes, so that they can be compared: each gets
// two curves of one point, at the ends of all values. Such a curve is not drawn.
func (f *Figure) shareAxes() {
	if rows, columns := f.Grid(); rows*columns < 2 {
		return
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	_ = f.each(func(_, _ int, c *chart.Chart) error {
		for _, s := range c.Series {
			for axis, lists := range [][][]float64{{s.X}, {s.Y, s.Low, s.High}} {
				for _, list := range lists {
					for _, v := range list {
						low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
					}
				}
			}
		}
		return nil
	})
	_ = f.each(func(_, _ int, c *chart.Chart) error {
		c.Series = append(c.Series,
			chart.Series{X: []float64{low[0]}, Y: []float64{low[1]}},
			chart.Series{X: []float64{high[0]}, Y: []float64{high[1]}})
		return nil
	})
}

// size is that of one panel; all are alike.
func (f *Figure) size() (width, height int) { return f.Panels[0][0].Width, f.Panels[0][0].Height }

// PNG draws the figure for screens and papers.
func (f *Figure) PNG(w io.Writer) error {
	rows, columns := f.Grid()
	if rows*columns == 1 {
		return f.Panels[0][0].PNG(w, f.Zoom, false)
	}
	var whole *image.RGBA
	err := f.each(func(row, column int, c *chart.Chart) error {
		var b bytes.Buffer
		if err := c.PNG(&b, f.Zoom, false); err != nil {
			return err
		}
		panel, err := png.Decode(&b)
		if err != nil {
			return err
		}
		size := panel.Bounds().Size()
		if whole == nil {
			whole = image.NewRGBA(image.Rect(0, 0, columns*size.X, rows*size.Y))
		}
		at := image.Pt(column*size.X, row*size.Y)
		draw.Draw(whole, image.Rectangle{at, at.Add(size)}, panel, panel.Bounds().Min, draw.Src)
		return nil
	})
	if err != nil {
		return err
	}
	return png.Encode(w, whole)
}

// SVG draws the figure for pages.
func (f *Figure) SVG(w io.Writer) error {
	rows, columns := f.Grid()
	if rows*columns == 1 {
		return f.Panels[0][0].SVG(w)
	}
	width, height := f.size()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n",
		columns*width, rows*height, columns*width, rows*height)
	err := f.each(func(row, column int, c *chart.Chart) error {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`, column*width, row*height)
		err := c.SVG(&b)
		b.WriteString("</g>\n")
		return err
	})
	if err != nil {
		return err
	}
	b.WriteString("</svg>\n")
	_, err = b.WriteTo(w)
	return err
}
