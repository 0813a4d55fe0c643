package page

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Answer is one of the boxes on top.
type Answer struct {
	Title, Text, Class string
	Notes              []string
}

type tile struct{ name, value, unit, note string }

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
	return fmt.Sprintf("%s at %s, %s", o.ModelID, o.BaseURL, section.Start(runs[0].Result).Format("2 January 2006, 15:04 -07:00"))
}

func tiles(run *section.Run) []tile {
	r := run.Result
	list := []tile{
		{"Output throughput", short(r.OutputThroughput), "tok/s", "peak " + peak(r)},
		{"Requests", short(r.RequestThroughput), "req/s", fmt.Sprintf("%s done, %s failed", counted(r.Completed), counted(r.Failed))},
		{"TTFT, median", short(section.Tabled(r, "p50", "ttft")), "ms", "p99 " + short(section.Tabled(r, "p99", "ttft"))},
		{"Between chunks, median", short(section.Tabled(r, "p50", "itl")), "ms", "p99 " + short(section.Tabled(r, "p99", "itl"))},
		{"End to end, median", short(section.Tabled(r, "p50", "e2el")), "ms", "p99 " + short(section.Tabled(r, "p99", "e2el"))},
		{"Duration", short(r.Duration), "s", section.Load(r)},
	}
	if r.SpecDecode != nil {
		rate, length := section.Acceptance(r)
		list = append(list, tile{"Draft tokens accepted", short(rate), "%", "accepted length " + short(length)})
	}
	for _, n := range metric.UsualNames(func(u *metric.Usual) []string { return u.Page }) {
		if v, ok := r.Number(n.Metric); ok && n.Statistic == "" && !n.Metric.OfQuestions {
			list = append(list, tile{n.Metric.Title, short(v), n.Metric.Unit, ""})
		}
	}
	if t, ok := accuracyTile(r.Eval); ok {
		list = append(list, t)
	}
	return list
}

// peak is the most tokens in a second, in words.
func peak(r *measure.Result) string {
	if r.PeakTokensPerSecond == nil {
		return "unknown"
	}
	return short(*r.PeakTokensPerSecond)
}

// drawer draws charts for both widths and keeps the first error. What it has drawn answers the mouse.
type drawer struct {
	err   error
	drawn []Figure
}

const (
	halfWidth, fullWidth, phoneWidth = 560, 1140, 358
	halfHeight, phoneHeight          = 300, 250
)

func (d *drawer) half(id string, c *chart.Chart) Figure {
	return d.draw(id, c, halfWidth, halfHeight, phoneHeight, false)
}

func (d *drawer) full(id string, c *chart.Chart, height int) Figure {
	return d.draw(id, c, fullWidth, height, height, true)
}

func (d *drawer) draw(id string, c *chart.Chart, width, height, phone int, full bool) Figure {
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
