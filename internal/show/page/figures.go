package page

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Figure is a chart, drawn for a screen and for a phone.
type Figure struct {
	ID, Title    string
	wide, narrow string // SVG
	Full         bool   // takes the whole width
	Link         string // to a larger one; empty: there is none
	Note         string // what was left out
	live         *liveChart
}

// subtitle is what was measured, and when.
func subtitle(runs []section.Run) string {
	o := &runs[0].Result.Run.Options
	return fmt.Sprintf("%s at %s, %s", outside.Line(o.ModelID, mostWords), outside.Line(o.BaseURL, mostWords), section.Start(runs[0].Result).Format("2 January 2006, 15:04 -07:00"))
}

// drawer draws charts for both widths and keeps the first error. What it has drawn answers the mouse.
type drawer struct {
	err   error
	drawn []Figure
}

const (
	halfWidth, fullWidth, phoneWidth = 640, 1296, 350
	halfHeight, phoneHeight          = 250, 240
)

func (d *drawer) half(id string, c *chart.Chart) Figure {
	return d.draw(id, c, halfWidth, halfHeight, phoneHeight, false)
}

func (d *drawer) full(id string, c *chart.Chart, height int) Figure {
	return d.draw(id, c, fullWidth, height, height, true)
}

// draw makes the picture in the sizes of a screen and a phone; a chart that knows its height keeps it.
func (d *drawer) draw(id string, c *chart.Chart, width, height, phone int, full bool) Figure {
	if c.Height > 0 {
		const line = 20 // of the legend, which has a line for each series on a phone
		height, phone = c.Height, c.Height+line*max(len(c.Series)-1, 0)
	}
	svg := func(width, height int) string {
		sized := *c
		sized.Title, sized.Width, sized.Height = "", width, height // the page has the title above
		var b bytes.Buffer
		if err := sized.Inline(&b); err != nil && d.err == nil {
			d.err = err
		}
		return strings.TrimSpace(b.String())
	}
	f := Figure{ID: id, Title: c.Title, wide: svg(width, height), narrow: svg(phoneWidth, phone), Full: full, Note: c.Note, live: newLiveChart(c, width, height, phone)}
	d.drawn = append(d.drawn, f)
	return f
}
