// Package chartdata collects what the charts of a run show, in the same pass over the
// journal that measures it, and in bounded memory:
//
//	row.Pass ─▶ Collector ─▶ slots in time, distributions, one row per request ─▶ Run
//
// It defines no metric: packages row and metric do. All that comes out is small enough
// to be drawn: at most 300 slots, 300 points per curve, a heat map of 120 × 40, and
// 10,000 requests.
package chartdata

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/replica"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// The bounds of what comes out.
const (
	MostSlots   = 300
	MostPoints  = 300
	HeatColumns = 120
	HeatRows    = 40
)

// Run is a run to be drawn. Times are seconds since the run's zero, durations
// milliseconds; NaN is where there was nothing.
type Run struct {
	Slot float64   // width of a slot
	At   []float64 // middle of each slot

	InFlight, Waiting    []float64  // mean number: sent and not ended; due and not sent
	Tokens, Done, Failed []float64  // per second
	Failures             []Failures // per second, by outcome; none: no request failed
	TokensUnknown        string     // why Tokens say nothing; empty: they do
	TTFT, E2EL           Course     // of the requests sent in the slot

	Curves []Curve // of the metrics that each result has
	Gaps   *Heat   // between token chunks; nil where there are none

	Jobs      []Job // the first ones; none: its requests are each by themselves
	JobsTotal int   // that were begun

	Rows    []Row
	Total   int // requests that were measured; more than Rows where they are too many
	Sampled bool

	Replicas []ReplicaSeries // of several that answered; nil: nobody said who did, or it was one

	Client []ClientPoint
	Server []ServerSeries
	// Hardware is what devices told; see Hardware.
	Hardware []ServerSeries
}

// Failures are requests that ended in one way that is no success, by when they ended.
type Failures struct {
	Outcome   journal.Outcome
	PerSecond []float64
}

// Course is two statistics over time: the median, and a p99 where slots have the values for
// one. Where they mostly have not it is the slowest of each slot, as HighName says.
type Course struct {
	P50, High []float64
	HighName  string
}

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

// Collector takes in the requests of a run. It is a row.Collector.
type Collector struct {
	course course
	curves map[string]*hist.Histogram
	rows   rows
	jobs   jobs

	metrics []metric.Metric // those with a curve and one value a request

	run   *journal.Run
	names *replica.Names
}

// NewCollector begins. most is how many requests are kept one by one; 0: MostRows.
func NewCollector(most int) *Collector {
	if most <= 0 {
		most = MostRows
	}
	c := &Collector{course: newCourse(), curves: map[string]*hist.Histogram{}, rows: rows{most: most}, jobs: newJobs()}
	c.Begin(&journal.Run{})
	for _, m := range metric.Always() {
		c.curves[m.Name] = hist.New(curveBits)
		if m.Of != nil {
			c.metrics = append(c.metrics, m)
		}
	}
	return c
}

// Begin says whose requests come.
func (c *Collector) Begin(run *journal.Run) { c.run, c.names = run, replica.NewNames(run) }

// Add takes in a request. Warm-ups are not drawn.
func (c *Collector) Add(r *row.Request) error {
	if r.Warmup {
		return nil
	}
	one := &r.Row
	c.course.At(one.Due).due.Add(one.Due)
	c.course.At(one.Sent).sent.Add(one.Sent)
	end := c.course.At(one.End)
	end.ended.Add(one.End)
	switch {
	case one.OK:
		end.done++
	case !one.HungUp:
		end.failed++
		if end.by == nil {
			end.by = map[journal.Outcome]int{}
		}
		end.by[r.Outcome]++
	}
	c.addPart(r)
	c.rows.add(newRow(r))
	c.jobs.add(r)
	if one.OK {
		c.success(r)
	}
	return nil
}

// Conversation takes in the end of one.
func (c *Collector) Conversation(end *journal.Conversation) { c.jobs.ended(end) }

func (c *Collector) success(r *row.Request) {
	one := &r.Row
	at := c.course.At(one.Sent)
	if one.First >= 0 {
		count(&at.ttft, courseBits, one.First)
		count(&at.e2el, courseBits, one.Last)
	}
	for i := range c.metrics {
		if v, ok := c.metrics[i].Of(one); ok {
			c.curves[c.metrics[i].Name].Add(max(int64(v*1e9), leastNs))
		}
	}
	itl := c.curves["itl"]
	for end, gap := range r.Gaps() {
		count(&c.course.At(end).gaps, heatBits, gap)
		itl.Add(max(gap, leastNs))
	}
	for _, a := range r.Arrivals() {
		c.course.At(a.At).tokens += int64(a.Tokens)
	}
}

// Run is what was collected. The collector can't go on after it. The mapping says what names
// of the servers' metrics mean, beside those that are known.
func (c *Collector) Run(samples []journal.Sample, scrapes []journal.Scrape, mapping ...journal.MetricName) *Run {
	s := &c.course
	s.settle()
	width := float64(s.Width) / 1e9
	perSecond := func(of func(*cell) float64) []float64 {
		return s.values(func(c *cell) float64 { return of(c) / width })
	}
	t := &Run{
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
		Server:   serverSeries(c.run.Replicas, scrapes, mapping),
	}
	for i := range s.Cells {
		t.At = append(t.At, (float64(i)+0.5)*width)
	}
	t.Failures = s.failures()
	t.Rows, t.Sampled = c.rows.chosen()
	t.Jobs, t.JobsTotal = c.jobs.result(), c.jobs.total
	t.Replicas = c.replicas()
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
