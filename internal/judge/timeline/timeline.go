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
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
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

	Curves []Curve // ttft, itl, tpot, e2el
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
	slots  *slots
	curves map[string]*histogram
	rows   rows

	metrics []measure.Metric // those with a curve and one value a request
}

// NewCollector begins. most is how many requests are kept one by one; 0: MostRows.
func NewCollector(most int) *Collector {
	if most <= 0 {
		most = MostRows
	}
	c := &Collector{slots: newSlots(), curves: map[string]*histogram{}, rows: rows{most: most}}
	for _, name := range curveNames {
		c.curves[name] = &histogram{perOctave: 64}
	}
	for _, m := range measure.Metrics() {
		if c.curves[m.Name] != nil && m.Value != nil {
			c.metrics = append(c.metrics, m)
		}
	}
	return c
}

var curveNames = []string{"ttft", "itl", "tpot", "e2el"}

// Request takes in a measured request.
func (c *Collector) Request(req *journal.Request, row *measure.Row) {
	c.slots.at(row.Due).due.add(max(row.Due, 0))
	c.slots.at(row.Sent).sent.add(max(row.Sent, 0))
	end := c.slots.at(row.End)
	end.ended.add(max(row.End, 0))
	if row.OK {
		end.done++
	} else {
		end.failed++
	}
	c.rows.add(newRow(req, row))
	if !row.OK {
		return
	}
	at := c.slots.at(row.Sent)
	if row.First >= 0 {
		at.ttft.add(row.First)
		at.e2el.add(row.Last)
	}
	for i := range c.metrics {
		if v, ok := c.metrics[i].Value(row); ok {
			c.curves[c.metrics[i].Name].add(int64(v * 1e9))
		}
	}
}

// Gap takes in the time between two token chunks.
func (c *Collector) Gap(at, gap int64) {
	c.slots.at(at).gaps.add(gap)
	c.curves["itl"].add(gap)
}

// Tokens takes in tokens that arrived.
func (c *Collector) Tokens(at int64, n int) { c.slots.at(at).tokens += int64(n) }

// Timeline is what was collected. The collector can't go on after it.
func (c *Collector) Timeline(samples []journal.Sample, scrapes []journal.Scrape) *Timeline {
	s := c.slots
	s.settle()
	width := float64(s.width) / 1e9
	perSecond := func(of func(*cell) float64) []float64 {
		return s.values(func(c *cell) float64 { return of(c) / width })
	}
	t := &Timeline{
		Slot:     width,
		InFlight: s.open(func(c *cell) moments { return c.sent }, func(c *cell) moments { return c.ended }),
		Waiting:  s.open(func(c *cell) moments { return c.due }, func(c *cell) moments { return c.sent }),
		Tokens:   perSecond(func(c *cell) float64 { return float64(c.tokens) }),
		Done:     perSecond(func(c *cell) float64 { return float64(c.done) }),
		Failed:   perSecond(func(c *cell) float64 { return float64(c.failed) }),
		TTFT:     s.course(func(c *cell) *histogram { return &c.ttft }),
		E2EL:     s.course(func(c *cell) *histogram { return &c.e2el }),
		Curves:   c.distributions(),
		Gaps:     s.heat(),
		Total:    c.rows.total,
		Client:   clientPoints(samples),
		Server:   serverSeries(scrapes),
	}
	for i := range s.cells {
		t.At = append(t.At, (float64(i)+0.5)*width)
	}
	t.Rows, t.Sampled = c.rows.chosen()
	return t
}

func (s *slots) course(of func(*cell) *histogram) Course {
	percentile := func(p float64) []float64 {
		return s.values(func(c *cell) float64 { return of(c).percentile(p) / 1e6 })
	}
	return Course{percentile(50), percentile(99)}
}

func (c *Collector) distributions() []Curve {
	var out []Curve
	for _, m := range measure.Metrics() {
		h := c.curves[m.Name]
		if h == nil {
			continue
		}
		curve := Curve{Name: m.Name, Title: m.Title, Count: h.n}
		curve.MS, curve.Share = h.cumulative()
		out = append(out, curve)
	}
	return out
}

// cumulative is at most MostPoints points of the distribution.
func (h *histogram) cumulative() (ms, share []float64) {
	first, last, ok := h.span()
	if !ok {
		return nil, nil
	}
	every := (last-first)/(MostPoints-2) + 1
	ms, share = []float64{math.Max(h.upper(first-1), leastNs) / 1e6}, []float64{0}
	before := 0
	for i := first; i <= last; i++ {
		before += int(h.counts[i])
		if (i-first)%every == every-1 || i == last {
			ms, share = append(ms, h.upper(i)/1e6), append(share, float64(before)/float64(h.n))
		}
	}
	return ms, share
}

// heat is the gaps of all slots, in fewer columns and rows than they were counted in.
func (s *slots) heat() *Heat {
	all := histogram{perOctave: newCell().gaps.perOctave}
	for i := range s.cells {
		all.merge(&s.cells[i].gaps)
	}
	first, last, ok := all.span()
	if !ok {
		return nil
	}
	wide := (len(s.cells)-1)/HeatColumns + 1
	high := (last-first)/HeatRows + 1
	columns, rows := (len(s.cells)-1)/wide+1, (last-first)/high+1
	h := &Heat{Counts: make([][]float64, columns)}
	for i := range columns + 1 {
		h.XEdges = append(h.XEdges, float64(i*wide)*float64(s.width)/1e9)
	}
	for j := range rows + 1 {
		h.YEdges = append(h.YEdges, math.Max(all.upper(first-1+j*high), leastNs/2)/1e6)
	}
	for i := range columns {
		h.Counts[i] = make([]float64, rows)
	}
	for i := range s.cells {
		for bin, n := range s.cells[i].gaps.counts {
			if n > 0 {
				h.Counts[i/wide][(bin-first)/high] += float64(n)
			}
		}
	}
	return h
}
