package bounds

import "github.com/inferometer/inferometer/internal/judge/row"

// cycle is what a closed loop's rate is made of: how long a request took, and what the client itself added before the next.
type cycle struct {
	latency, added float64 // ns, summed up
	waits          bool    // a request waited for the answer of another
	lastEnd, late  int64   // of the request that ended last: how late its last event was read
}

func (c *cycle) add(r *row.Request) {
	c.latency += float64(r.End - r.Sent)
	lag := int64(0)
	if n := len(r.Events.Lag); n > 0 {
		lag = max(r.Events.Lag[n-1], 0)
		c.added += float64(lag)
	}
	c.added += float64(max(r.Row.Sent-r.Row.Due, 0))
	c.waits = c.waits || len(r.After) > 0
	if r.End >= c.lastEnd {
		c.lastEnd, c.late = r.End, min(lag, r.End-r.Sent)
	}
}

// rates are the bounds of what is counted over time. The clock stops when the client has read the last answer; and in a
// closed loop the next request waits for the client to have read the one before, and for a server that was held up.
func (e *effects) rates(of *Measured, b *Bounds) map[string]Ends {
	more := map[Part]float64{}
	if late := row.Seconds(e.cycle.late) + stampError/1e3; of.LastEnd == e.cycle.lastEnd && late > 0 && late < of.Duration {
		more[Lag] = late / (of.Duration - late)
	}
	if of.Closed || e.cycle.waits {
		if e.cycle.latency > 0 {
			more[Lag] += e.cycle.added / e.cycle.latency
		}
		if e2el, ttft := b.Metrics["e2el"], b.Metrics["ttft"]; e2el.Count > 0 && e.counts() {
			held := ttft.Parts["mean_ms"][HeldUp][0] + e.rest/1e6/float64(e2el.Count)
			mean := e2el.Shown["mean_ms"]
			more[HeldUp] = held / max(mean-held, mean/2)
		}
	}
	b.RateParts = more
	by := (1 + more[Lag]) * (1 + more[HeldUp])
	out := map[string]Ends{}
	for name, rate := range of.Rates {
		out[name] = Ends{rate, rate * by}
	}
	return out
}
