// Package timeline collects what the pictures of a run show, in the same pass over
// the journal that measures it, and in bounded memory:
//
//	measure ─▶ Collector ─▶ slots in time, distributions, a row a request ─▶ Timeline
//
// It defines no metric: what a success, a gap or a first token is, measure says.
// All that comes out is small enough to be drawn: at most 300 slots, 300 points a
// curve, a heat map of 120 × 40, and 10,000 requests.
package timeline

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// The bounds of what comes out.
const (
	MostSlots   = 300
	MostPoints  = 300
	HeatColumns = 120
	HeatRows    = 40
)

// Timeline is a run to be drawn. Times are seconds since the run's zero, durations
// milliseconds; NaN is where there was nothing.
type Timeline struct {
	Slot float64   // width of a slot
	At   []float64 // middle of each slot

	InFlight, Waiting    []float64 // mean number: sent and not ended; due and not sent
	Tokens, Done, Failed []float64 // per second
	TokensUnknown        string    // why Tokens say nothing; empty: they do
	TTFT, E2EL           Course    // of the requests sent in the slot

	Curves []Curve // of the metrics that each result has
	Gaps   *Heat   // between token chunks; nil where there are none

	Rows    []Row
	Total   int // requests that were measured; more than Rows where they are too many
	Sampled bool

	Client []ClientPoint
	Server []ServerSeries
}

// Course is two percentiles over time.
type Course struct{ P50, P99 []float64 }

// Curve is a cumulative distribution: Share[i] of the values are at most MS[i].
type Curve struct {
	Name, Title string
	Count       int
	MS, Share   []float64
}

// Heat is how many gaps there were, by time and by length. It has the form of chart.Heat.
type Heat struct {
	XEdges, YEdges []float64 // seconds; milliseconds
	Counts         [][]float64
}

// Collector watches a run being measured.
type Collector struct {
	course course
	curves map[string]*hist.Histogram
	rows   rows

	metrics []metric.Metric // those with a curve and one value a request
}

// NewCollector begins. most is how many requests are kept one by one; 0: MostRows.
func NewCollector(most int) *Collector {
	if most <= 0 {
		most = MostRows
	}
	c := &Collector{course: newCourse(), curves: map[string]*hist.Histogram{}, rows: rows{most: most}}
	for _, m := range metric.Always() {
		c.curves[m.Name] = hist.New(curveBits)
		if m.Of != nil {
			c.metrics = append(c.metrics, m)
		}
	}
	return c
}

// Request takes in a measured request.
func (c *Collector) Request(req *journal.Request, row *measure.Row) {
	c.course.At(row.Due).due.Add(row.Due)
	c.course.At(row.Sent).sent.Add(row.Sent)
	end := c.course.At(row.End)
	end.ended.Add(row.End)
	if row.OK {
		end.done++
	} else {
		end.failed++
	}
	c.rows.add(newRow(req, row))
	if !row.OK {
		return
	}
	at := c.course.At(row.Sent)
	if row.First >= 0 {
		count(&at.ttft, courseBits, row.First)
		count(&at.e2el, courseBits, row.Last)
	}
	for i := range c.metrics {
		if v, ok := c.metrics[i].Of(row); ok {
			c.curves[c.metrics[i].Name].Add(max(int64(v*1e9), leastNs))
		}
	}
}

// Gap takes in the time between two token chunks.
func (c *Collector) Gap(at, gap int64) {
	count(&c.course.At(at).gaps, heatBits, gap)
	c.curves["itl"].Add(max(gap, leastNs))
}

// Tokens takes in tokens that arrived.
func (c *Collector) Tokens(at int64, n int) { c.course.At(at).tokens += int64(n) }

// Timeline is what was collected. The collector can't go on after it.
func (c *Collector) Timeline(samples []journal.Sample, scrapes []journal.Scrape) *Timeline {
	s := &c.course
	s.settle()
	width := float64(s.Width) / 1e9
	perSecond := func(of func(*cell) float64) []float64 {
		return s.values(func(c *cell) float64 { return of(c) / width })
	}
	t := &Timeline{
		Slot:     width,
		InFlight: s.open(func(c *cell) slots.Marks { return c.sent }, func(c *cell) slots.Marks { return c.ended }),
		Waiting:  s.open(func(c *cell) slots.Marks { return c.due }, func(c *cell) slots.Marks { return c.sent }),
		Tokens:   perSecond(func(c *cell) float64 { return float64(c.tokens) }),
		Done:     perSecond(func(c *cell) float64 { return float64(c.done) }),
		Failed:   perSecond(func(c *cell) float64 { return float64(c.failed) }),
		TTFT:     s.percentiles(func(c *cell) *hist.Histogram { return c.ttft }),
		E2EL:     s.percentiles(func(c *cell) *hist.Histogram { return c.e2el }),
		Curves:   c.distributions(),
		Gaps:     s.heat(),
		Total:    c.rows.total,
		Client:   clientPoints(samples),
		Server:   serverSeries(scrapes),
	}
	for i := range s.Cells {
		t.At = append(t.At, (float64(i)+0.5)*width)
	}
	t.Rows, t.Sampled = c.rows.chosen()
	return t
}

func (c *Collector) distributions() []Curve {
	var out []Curve
	for _, m := range metric.All() {
		h := c.curves[m.Name]
		if h == nil {
			continue
		}
		curve := Curve{Name: m.Name, Title: m.Title, Count: h.Count()}
		curve.MS, curve.Share = cumulative(h)
		out = append(out, curve)
	}
	return out
}
