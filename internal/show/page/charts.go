package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/show/section"
)

// Charts are the names that Chart knows: pictures of the run, and the distributions of metrics.
func Charts() []string {
	list := []string{"throughput"}
	for _, m := range metric.Always() {
		list = append(list, m.Name)
	}
	return append(list, "timeline", "gaps", "accuracy", "categories")
}

// Chart is one picture of one or several runs, by its name.
func Chart(name string, runs []section.Run) (*chart.Chart, error) {
	switch name {
	case "throughput":
		c := tradeoff(runs, "p99", "ttft")
		if c.Note != "" { // a picture has no line below it
			c.Title += ". " + c.Note
		}
		return c, nil
	case "timeline":
		c := courses(runs[0].Drawn)[inFlightAt]
		for i := range runs[1:] {
			c.Series = append(c.Series, courses(runs[i+1].Drawn)[inFlightAt].Series...)
		}
		if len(runs) > 1 {
			named(c, runs)
		}
		return c, nil
	case "gaps":
		if len(runs) > 1 {
			return nil, fmt.Errorf("the chart gaps shows one run, not %d", len(runs))
		}
		return gaps(runs[0].Drawn), nil
	case "accuracy", "categories":
		return accuracyChart(name, runs)
	}
	if m := metric.Lookup(name); m != nil && m.Always {
		return distribution(runs, m), nil
	}
	return nil, fmt.Errorf("there is no chart %q: known are %s", name, strings.Join(Charts(), ", "))
}

// named says before each series whose it is.
func named(c *chart.Chart, runs []section.Run) {
	each := len(c.Series) / len(runs)
	for i := range c.Series {
		c.Series[i].Name = clip(runs[i/each].Name) + ": " + c.Series[i].Name
	}
}

const (
	nothing    = "no request succeeded"
	mostSeries = 8 // beyond it colours repeat, and nobody tells lines apart
	mostName   = 30
	mostWords  = 120 // of a name that has the page's width
	// mostSeriesName holds the longest of ours: "llamacpp: computed prompt tokens per second, server 100".
	mostSeriesName = 60
)

func clip(name string) string { return outside.Line(name, mostName) }

// distribution is a metric's cumulative curve, one line a run.
func distribution(runs []section.Run, m *metric.Metric) *chart.Chart {
	c := &chart.Chart{X: chart.Axis{Log: true, Unit: "ms"}, Y: chart.Axis{Label: "share of values", Min: new(float64), Max: newFloat(1)}, Empty: nothing}
	for i := range runs[:min(len(runs), mostSeries)] {
		for _, curve := range runs[i].Drawn.Curves {
			if curve.Name != m.Name {
				continue
			}
			c.Title, c.X.Label = curve.Title, m.Short+", ms"
			name := clip(runs[i].Name)
			switch {
			case len(runs) == 1:
				name = ""
			case runs[i].Invalid():
				name += " (INVALID)"
			}
			c.Series = append(c.Series, chart.Series{Name: name, X: curve.MS, Y: curve.Share})
		}
	}
	if m.Chart != "" {
		c.Title = m.Chart
	}
	return c
}

func newFloat(v float64) *float64 { return &v }

// Places of two of the courses.
const tokensAt, inFlightAt = 0, 2

// courses are the pictures of the run over time, what a reader looks at first before the others.
func courses(t *chartdata.Run) []*chart.Chart {
	line := func(name string, y []float64) chart.Series {
		return chart.Series{Name: name, X: t.At, Y: y}
	}
	dashed := func(name string, y []float64) chart.Series {
		s := line(name, y)
		s.Dashed = true
		return s
	}
	list := onTime(t,
		&chart.Chart{Title: "Output tokens per second", Y: chart.Axis{Label: "tok/s"}, Series: []chart.Series{line("", t.Tokens)}},
		&chart.Chart{Title: "TTFT by time of sending", Y: chart.Axis{Label: "ms"}, Series: []chart.Series{line("p50", t.TTFT.P50), dashed(t.TTFT.HighName, t.TTFT.High)}},
		&chart.Chart{Title: "Requests in flight, and due but not yet sent", Y: chart.Axis{Label: "requests"}, Series: []chart.Series{line("in flight", t.InFlight), dashed("waiting", t.Waiting)}},
		&chart.Chart{Title: "End-to-end latency by time of sending", Y: chart.Axis{Label: "ms"}, Series: []chart.Series{line("p50", t.E2EL.P50), dashed(t.E2EL.HighName, t.E2EL.High)}},
		&chart.Chart{Title: "Requests ended per second", Y: chart.Axis{Label: "req/s"}, Series: []chart.Series{line("done", t.Done), dashed("failed", t.Failed)}},
		clientChart(t))
	if t.TokensUnknown != "" {
		tokens := list[tokensAt]
		tokens.Series, tokens.Empty = nil, "unknown: "+t.TokensUnknown
	}
	return list
}

// onTime gives charts the same time axis.
func onTime(t *chartdata.Run, list ...*chart.Chart) []*chart.Chart {
	for _, c := range list {
		c.X, c.Empty, c.Y.Zero = timeAxis(t), nothing, true
		if c.Y.Unit == "" && !strings.HasPrefix(c.Y.Label, "share") {
			c.Y.Unit = c.Y.Label
		}
	}
	return list
}

func timeAxis(t *chartdata.Run) chart.Axis {
	return chart.Axis{Label: "seconds since the start", Unit: "s", Min: new(float64), Max: newFloat(math.Max(float64(len(t.At))*t.Slot, 0.1))}
}

func clientChart(t *chartdata.Run) *chart.Chart {
	c := &chart.Chart{Title: "The client itself", Y: chart.Axis{Label: "processors"}}
	used, wait := chart.Series{Name: "used"}, chart.Series{Name: "wanted and not got", Dashed: true}
	for _, p := range t.Client {
		used.X, used.Y = append(used.X, p.At), append(used.Y, p.CPU)
		wait.X, wait.Y = append(wait.X, p.At), append(wait.Y, p.Wait)
	}
	if len(used.X) > 0 {
		c.Series = []chart.Series{used, wait}
	}
	return c
}

// gaps is the heat map of the times between token chunks.
func gaps(t *chartdata.Run) *chart.Chart {
	c := &chart.Chart{
		Title: "Time between token chunks over time", X: timeAxis(t), Y: chart.Axis{Label: "ms", Unit: "ms", Log: true},
		Empty: "no answer had two token chunks",
	}
	if t.Gaps != nil {
		c.Heat = &chart.Heat{XEdges: t.Gaps.XEdges, YEdges: t.Gaps.YEdges, Counts: t.Gaps.Counts, Name: "gaps"}
	}
	return c
}

// tradeoff is throughput against a latency: one point a run, the front of those
// that no other run beats in both. What the table of runs leaves out is not drawn either: a
// percentile of too few values; nor is a run that can't be trusted.
func tradeoff(runs []section.Run, statistic, name string) *chart.Chart {
	c := &chart.Chart{
		Title: fmt.Sprintf("Throughput against %s %s", statistic, section.MetricWord(name)), X: chart.Axis{Label: "output tokens per second", Unit: "tok/s", Zero: true},
		Y: chart.Axis{Label: statistic + " " + section.MetricWord(name) + ", ms", Unit: "ms", Log: true}, Empty: nothing,
	}
	points := chart.Series{Name: "runs", Kind: chart.Points}
	front := chart.Series{Name: "Pareto front", Kind: chart.LinePoints, Dashed: true}
	few, invalid := 0, 0
	for i := range runs {
		y := section.Tabled(runs[i].Result, statistic, name)
		switch {
		case math.IsNaN(section.Latency(runs[i].Result, statistic, name)):
			continue
		case runs[i].Invalid():
			invalid++
			continue
		case math.IsNaN(y):
			few++
			continue
		}
		points.X = append(points.X, runs[i].Result.OutputThroughput)
		points.Y = append(points.Y, y)
		points.Labels = append(points.Labels, pointLabel(runs[i].Result))
		points.Hints = append(points.Hints, fmt.Sprintf("%s: %s tok/s, %s ms", clip(runs[i].Name), short(runs[i].Result.OutputThroughput), short(y)))
	}
	for _, i := range Pareto(points.X, points.Y) {
		front.X, front.Y = append(front.X, points.X[i]), append(front.Y, points.Y[i])
	}
	c.Note = leftOut(few, invalid, statistic)
	switch {
	case len(points.X) > 1:
		c.Series = []chart.Series{points, front}
	case len(points.X) == 1: // a front needs two runs to choose from
		c.Series = []chart.Series{points}
	case c.Note != "":
		c.Empty, c.Note = c.Note, ""
	}
	return c
}

// leftOut says how many runs a chart does not show, and why; empty: it shows all.
func leftOut(few, invalid int, statistic string) string {
	var why []string
	if invalid > 0 {
		why = append(why, fmt.Sprintf("%d INVALID", invalid))
	}
	if few > 0 {
		why = append(why, fmt.Sprintf("%d with too few requests for a %s", few, statistic))
	}
	if len(why) == 0 {
		return ""
	}
	return "Runs left out: " + strings.Join(why, ", ")
}

// pointLabel is short: the number that runs of a sweep differ in.
func pointLabel(r *measure.Result) string {
	o := &r.Run.Options
	switch {
	case o.RequestRate > 0:
		return fmt.Sprintf("%g/s", o.RequestRate)
	case o.MaxConcurrency > 0:
		return fmt.Sprintf("×%d", o.MaxConcurrency)
	}
	return ""
}

// Pareto are the points that no other one beats: more throughput at no more
// latency, or less latency at no less throughput. In the order of throughput.
func Pareto(throughput, latency []float64) []int {
	var front []int
	for i := range throughput {
		beaten := false
		for j := range throughput {
			if throughput[j] >= throughput[i] && latency[j] <= latency[i] && (throughput[j] > throughput[i] || latency[j] < latency[i]) {
				beaten = true
				break
			}
		}
		if !beaten {
			front = append(front, i)
		}
	}
	slices.SortStableFunc(front, func(a, b int) int { return cmp.Compare(throughput[a], throughput[b]) })
	return front
}
