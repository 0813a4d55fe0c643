package measure

import (
	"cmp"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/stats"
)

// evidence is what intervals are made of besides the statistics themselves: values
// with their place in time. It is bounded, as all of measure is.
type evidence struct {
	rows []row.Row // all, or the first earlyLen that ended where there are too many; by the time of sending
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

// reserve makes room for n gaps where there is none yet, as far as they would be kept.
func (g *gapLog) reserve(n int) {
	if n = min(max(n, 0), g.limit); len(g.values) == 0 {
		g.values, g.ends = make([]float64, 0, n), make([]int64, 0, n)
	}
}

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
func bySent(rows []row.Row) []row.Row {
	order := func(a, b row.Row) int { return cmp.Compare(a.Sent, b.Sent) }
	if slices.IsSortedFunc(rows, order) {
		return rows
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, order)
	return rows
}

// chain is a metric of the requests, in the order of sending.
func (e *evidence) chain(of func(*row.Row) (float64, bool)) stats.Chain {
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

// slots adds up what the successes bring, each evenly over the time that it took: answers that end
// together, as those of a closed loop do, are no change of the rate.
func (e *evidence) slots(duration float64, of func(*row.Row) float64) []float64 {
	out := make([]float64, rateSlots)
	change := make([]float64, rateSlots+1) // of what each whole slot gets, against the one before
	for i := range e.rows {
		if !e.rows[i].OK {
			continue
		}
		brings := of(&e.rows[i])
		first, before := place(e.rows[i].Sent, duration)
		last, until := place(e.rows[i].End, duration)
		if first == last {
			out[last] += brings
			continue
		}
		each := brings / (float64(last-first) + until - before)
		out[first] += each * (1 - before)
		out[last] += each * until
		change[first+1] += each
		change[last] -= each
	}
	level := 0.0
	for i := range out {
		level += change[i]
		out[i] += level
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

// place is the slot of a moment, and which share of the slot lies before it.
func place(ns int64, duration float64) (slot int, share float64) {
	if duration <= 0 {
		return 0, 0
	}
	at := min(max(seconds(ns)/duration*rateSlots, 0), rateSlots)
	slot = min(int(at), rateSlots-1)
	return slot, at - float64(slot)
}

// interval is the interval of the goal's number, from what is known so far.
func (e *evidence) interval(goal *condition.Clause) sample.Interval {
	n, _ := goal.Name()
	if n.Metric.Each != nil {
		return e.rate(n.Metric.Each)
	}
	ch := stats.Chain{}
	if n.Metric.Of != nil {
		ch = e.chain(n.Metric.Of)
	} else {
		ch = e.gaps.chain()
	}
	s := sample.New(len(ch.Values))
	for _, v := range ch.Values {
		s.Add(v)
	}
	p, _ := n.Statistic.Percentile()
	st := s.Stats([]float64{p})
	if n.Statistic == metric.Mean {
		return sample.MeanInterval(&st, &ch)
	}
	return sample.PercentileInterval(s, &ch, p, st.Percentiles[0].Value)
}

// rate is the interval of a throughput up to the last end. of is what a request adds to it.
func (e *evidence) rate(of func(*row.Row) float64) sample.Interval {
	last, n, sum := int64(0), 0, 0.0
	for i := range e.rows {
		if r := &e.rows[i]; r.OK {
			last, n, sum = max(last, r.End), n+1, sum+of(r)
		}
	}
	duration := seconds(last)
	if duration <= 0 {
		return sample.RateInterval(nil, 0, 0, 0)
	}
	return sample.RateInterval(e.slots(duration, of), duration, sum/duration, n)
}
