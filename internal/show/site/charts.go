package site

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/number"
)

// timeChart is a metric over time. Root leads from the page to the site's first folder.
func timeChart(runs []history.Run, m compare.Metric, list []changed, root string) *chart.Chart {
	x := make([]float64, len(runs))
	for i := range runs {
		x[i] = float64(runs[i].Start.Unix())
	}
	const room = 30 // seconds: runs within a minute need an axis too
	c := course(runs, x, m, list, room, root)
	c.Together, c.X.Time = "time", true // all metrics of a series are of the same runs
	c.X.Label, c.X.Ticks = "time of the run", dayTicks(*c.X.Min, *c.X.Max)
	return c
}

// commitChart is a metric over commits, one beside the other.
func commitChart(runs []history.Run, m compare.Metric, list []changed, root string) *chart.Chart {
	x, place := make([]float64, len(runs)), -1.0
	var ticks []chart.Tick
	for i := range runs {
		if i == 0 || runs[i].Commit != runs[i-1].Commit {
			place++
			ticks = append(ticks, chart.Tick{At: place, Label: clip(runs[i].ShortCommit())})
		}
		x[i] = place
	}
	c := course(runs, x, m, list, 0.5, root)
	c.X.Label, c.X.Ticks = "commit", ticks
	return c
}

func clip(text string) string {
	const most = 14
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// The colours, by their place in the palette.
const (
	runColor, meanColor, doubtColor, changeColor = 1, 2, 7, 8
)

// course draws runs as points, the mean of each stretch, and the changes between
// them; room is what is left free beside the first and the last, at least.
func course(runs []history.Run, x []float64, m compare.Metric, list []changed, room float64, root string) *chart.Chart {
	c := &chart.Chart{Title: m.Label, Y: chart.Axis{Label: m.Label}, Empty: "no run has this number"}
	good := chart.Series{Name: "run", Kind: chart.Points, Color: runColor}
	bad := chart.Series{Name: "INVALID run", Kind: chart.Points, Color: doubtColor}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range runs {
		v, ok := runs[i].Values[m.Key]
		if !ok {
			continue
		}
		low, high = min(low, v), max(high, v)
		to := &good
		if !runs[i].Counts() {
			to = &bad
		}
		to.X, to.Y = append(to.X, x[i]), append(to.Y, v)
		to.Links = append(to.Links, root+runPath(&runs[i]))
		to.Hints = append(to.Hints, fmt.Sprintf("%s, %s: %s", runWords(&runs[i]), day(&runs[i]), number.Short(v)))
	}
	c.X.Min, c.X.Max = around(x[0], x[len(x)-1], room)
	if low <= high {
		c.Y.Min, c.Y.Max = yEnds(low, high)
		c.Series = append([]chart.Series{good}, means(runs, x, m, list)...)
		c.Series = append(c.Series, marks(x, list, *c.Y.Min, *c.Y.Max)...)
	}
	if len(bad.X) > 0 {
		c.Series = append(c.Series, bad)
	}
	return c
}

// around are the ends of an axis, with some room beside the values.
func around(low, high, room float64) (minimum, maximum *float64) {
	room = max((high-low)*0.03, room)
	low, high = low-room, high+room
	return &low, &high
}

// yEnds shows at least 10 % of the value, so that mere noise does not look like mountains.
func yEnds(low, high float64) (minimum, maximum *float64) {
	const least = 0.1
	if middle := (low + high) / 2; high-low < least*middle {
		low, high = middle*(1-least/2), middle*(1+least/2)
	}
	room := (high - low) * 0.12
	if high == low {
		room = 1
	}
	bottom, top := low-room, high+room
	if low >= 0 {
		bottom = max(bottom, 0)
	}
	return &bottom, &top
}

// means are the stretches between changes, each a line at its mean.
func means(runs []history.Run, x []float64, m compare.Metric, list []changed) []chart.Series {
	if len(runs) < 2 {
		return nil
	}
	line := chart.Series{Name: "mean", Color: meanColor}
	values := history.Values(runs, m.Key)
	from := 0
	for i := range len(list) + 1 {
		to := len(runs)
		if i < len(list) {
			to = list[i].At
		}
		sum, n := 0.0, 0
		for _, v := range values[from:to] {
			if v > 0 {
				sum, n = sum+math.Log(v), n+1
			}
		}
		if n > 0 {
			mean := math.Exp(sum / float64(n))
			line.X, line.Y = append(line.X, x[from], x[to-1], math.NaN()), append(line.Y, mean, mean, math.NaN())
		}
		from = to
	}
	if len(line.X) == 0 {
		return nil
	}
	return []chart.Series{line}
}

// marks are the changes: an upright line between the last run before and the first
// after, and how much it is.
func marks(x []float64, list []changed, low, high float64) []chart.Series {
	if len(list) == 0 {
		return nil
	}
	line := chart.Series{Name: "change", Dashed: true, Color: changeColor}
	words := chart.Series{Kind: chart.Points, Color: changeColor}
	for i := range list {
		c := &list[i]
		at := (x[c.At] + x[c.At-1]) / 2
		line.X, line.Y = append(line.X, at, at, math.NaN()), append(line.Y, low, high, math.NaN())
		words.X, words.Y = append(words.X, at), append(words.Y, high-(high-low)*0.04)
		words.Labels = append(words.Labels, number.Change(c.Ratio))
		words.Hints = append(words.Hints, fmt.Sprintf("%s from %s on, between %s and %s", number.Change(c.Ratio), c.where(), number.Change(c.Low), number.Change(c.High)))
	}
	return []chart.Series{line, words}
}

// clockSteps are the round steps below a day.
var clockSteps = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// dayTicks are round times: seconds to years apart, as many as fit on a wide screen;
// the chart leaves out those without room.
func dayTicks(low, high float64) []chart.Tick {
	const most, day = 12, 24 * time.Hour
	from, to := time.Unix(int64(low), 0).UTC(), time.Unix(int64(high), 0).UTC()
	span := to.Sub(from)
	step, form := func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }, "2006"
	begin := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	fits := slices.IndexFunc(clockSteps, func(d time.Duration) bool { return span <= most*d })
	switch {
	case fits >= 0:
		every := clockSteps[fits]
		begin, form = from.Truncate(every), clockForm(every)
		step = func(t time.Time) time.Time { return t.Add(every) }
	case span <= 60*day:
		every := max(1, int(span/day/most))
		begin, form = from.Truncate(day), "2 Jan"
		step = func(t time.Time) time.Time { return t.AddDate(0, 0, every) }
	case span <= 3*365*day:
		begin, form = time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC), "Jan 2006"
		step = func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }
	}
	var out []chart.Tick
	for t := begin; !t.After(to); t = step(t) {
		if !t.Before(from) {
			out = append(out, chart.Tick{At: float64(t.Unix()), Label: t.Format(form)})
		}
	}
	return out
}

func clockForm(every time.Duration) string {
	switch {
	case every < time.Minute:
		return "15:04:05"
	case every < time.Hour:
		return "15:04"
	}
	return "2 Jan 15:04"
}
