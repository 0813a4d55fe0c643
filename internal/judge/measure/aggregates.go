package measure

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// RowLimit is how many requests are kept one by one: some 10 MB.
const RowLimit = 100_000

// aggregates are what is kept of requests that are too many to be kept one by one:
// histograms of their durations (in collector.series), counts in time, and the
// first and last ones sent, which a steady state leaves out.
type aggregates struct {
	slots *counts
	first edge
	last  edge
	early []row.Row // the first that ended: how values follow one another
	seen  int       // requests so far
}

// keep keeps a row, or, from the limit on, what is needed of it.
func (c *collector) keep(r *row.Row) {
	if c.aggregates == nil {
		c.rows = append(c.rows, *r)
		if len(c.rows) > c.opt.RowLimit && !c.opt.Detailed {
			c.aggregate()
		}
		return
	}
	for i := range c.series {
		c.series[i].add(r)
	}
	c.aggregates.add(r)
	if c.aggregates.seen == c.opt.RowLimit+1 { // gaps are logged for as many requests as rows may be kept
		c.gapLog.limit = len(c.gapLog.values)
	}
}

// aggregate gives up the rows so far. The values of their events go with them:
// one limit for both keeps memory where it is.
func (c *collector) aggregate() {
	rows := c.rows
	c.rows = nil
	c.aggregates = &aggregates{
		slots: c.arrivals.slots, early: make([]row.Row, 0, earlyLen),
		first: edge{rows: make([]edgeRow, 0, 2*edgeLen)}, last: edge{rows: make([]edgeRow, 0, 2*edgeLen), late: true},
	}
	for i := range c.series {
		c.series[i].sample = sample.New(c.opt.ExactLimit)
		c.series[i].sample.Spill()
	}
	for i := range rows {
		c.keep(&rows[i])
	}
	for _, s := range []*sample.Sample{c.gaps, c.tokGaps, c.lag} {
		s.Spill()
	}
	c.arrivals.spill()
}

// earlyLen is how many requests tell how values follow one another: 2 MB.
const earlyLen = 20_000

func (w *aggregates) add(r *row.Row) {
	if w.seen++; len(w.early) < earlyLen {
		w.early = append(w.early, *r)
	}
	w.slots.At(r.Sent).opened++
	w.slots.At(r.End).closed++
	if !r.OK {
		return
	}
	cell := w.slots.At(r.Sent)
	cell.started++
	cell.planned += int64(r.Planned)
	cell.took += max(r.Last, 0) / 1000
	w.slots.At(r.Sent+max(r.Last, 0)).ended++
	at := edgeRow{sent: r.Sent, took: max(r.Last, 0), ttft: r.TTFT()}
	at.tpot, at.hasTPOT = r.TPOT()
	w.first.add(at)
	w.last.add(at)
}

// peaks are what is known of them. The client's own count has its warm-ups in it
// and a request until its slot is free again, so it bounds the truth from above,
// as the slots do.
func (w *aggregates) peaks(r *Result, vllm bool, origin int64) {
	atLeast, atMost := w.slots.peakOpen()
	r.PeakConcurrency = atLeast
	if r.End != nil {
		r.PeakConcurrency = max(atLeast, min(atMost, r.End.PeakInFlight))
	}
	r.PeakConcurrent = r.PeakConcurrency
	if vllm {
		r.PeakConcurrent = w.slots.peakBySecond(origin)
	}
}

// warning says what the numbers of aggregates are worth.
func (w *aggregates) warning(limit int) string {
	why := fmt.Sprintf("more than %d requests", limit)
	if w.seen <= limit {
		why = fmt.Sprintf("the journal's end speaks of more than %d requests, and %d can be read", limit, w.seen)
	}
	return fmt.Sprintf("%s: latencies come from histograms, within %g %%, moments are counted by %d ms, "+
		"and the arrays latencies and queue_times are empty (a detailed report keeps all)", why, sample.HistError*100, w.slots.Width/msNs)
}

// edge is the requests that were sent first, or last.
type edge struct {
	late bool
	rows []edgeRow
	cut  bool // there were more
	last int64
}

type edgeRow struct {
	sent, took int64
	ttft, tpot float64
	hasTPOT    bool
}

// edgeLen is how many requests an edge keeps at least: more than are open at once.
const edgeLen = 1 << 14

func (e *edge) add(r edgeRow) {
	if e.cut && e.beyond(r.sent) {
		return
	}
	e.rows = append(e.rows, r)
	if len(e.rows) < 2*edgeLen {
		return
	}
	slices.SortFunc(e.rows, func(a, b edgeRow) int {
		if e.late {
			a, b = b, a
		}
		return int(min(max(a.sent-b.sent, -1), 1))
	})
	e.rows = e.rows[:edgeLen]
	e.cut, e.last = true, e.rows[edgeLen-1].sent
}

// beyond says whether a moment lies further inside than what is kept.
func (e *edge) beyond(sent int64) bool {
	if e.late {
		return sent < e.last
	}
	return sent > e.last
}
