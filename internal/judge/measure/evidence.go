package measure

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/stats"
)

// evidence is what intervals are made of besides the statistics themselves: values
// with their place in time. It is bounded, as all of measure is.
type evidence struct {
	rows []Row // all, or the first earlyLen of a crowd that ended; by the time of sending
	gaps gapLog
}

// gapLog is the first gaps between token chunks, each with the moment at which it ended.
type gapLog struct {
	limit  int
	values []float64 // seconds
	ends   []int64
}

// gapLogLen is how many gaps the result's intervals look at: 4 MB.
const gapLogLen = 1 << 18

func (g *gapLog) add(end, gap int64) {
	if len(g.values) < g.limit {
		g.values = append(g.values, seconds(gap))
		g.ends = append(g.ends, end)
	}
}

// chain puts gaps together by time: those of all streams at one moment wait for
// the same step of the engine, as those of one stream follow one another.
func (g *gapLog) chain() stats.Chain { return stats.InTime(g.values, g.ends) }

// bySent returns rows in the order of sending. The rows of one client are already.
func bySent(rows []Row) []Row {
	order := func(a, b Row) int { return cmp.Compare(a.Sent, b.Sent) }
	if slices.IsSortedFunc(rows, order) {
		return rows
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, order)
	return rows
}

// chain is a metric of the requests, in the order of sending.
func (e *evidence) chain(of func(*Row) (float64, bool)) stats.Chain {
	values := make([]float64, 0, len(e.rows))
	for i := range e.rows {
		if !e.rows[i].OK {
			continue
		}
		if v, ok := of(&e.rows[i]); ok {
			values = append(values, v)
		}
	}
	return stats.InSequence(values)
}

// rateSlots is how finely a rate is looked at in time.
const rateSlots = 1024

// slots adds up what the successes bring, each at the moment when it ended.
func (e *evidence) slots(duration float64, of func(*Row) float64) []float64 {
	out := make([]float64, rateSlots)
	for i := range e.rows {
		if e.rows[i].OK {
			out[slotAt(e.rows[i].End, duration)] += of(&e.rows[i])
		}
	}
	return out
}

// drain is the part of the run after the last send. Rows are in that order.
func (e *evidence) drain(duration float64) float64 {
	if len(e.rows) == 0 || duration <= 0 {
		return 0
	}
	return max(1-seconds(e.rows[len(e.rows)-1].Sent)/duration, 0)
}

func slotAt(ns int64, duration float64) int {
	if duration <= 0 {
		return 0
	}
	return min(max(int(seconds(ns)/duration*rateSlots), 0), rateSlots-1)
}
