package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/slots"
)

// provenRange holds the run's streams and token chunks a second against what a
// self-test on the same machine has proven.
type provenRange struct {
	proven *journal.Proven
	chunks *slots.Slots[int64] // token chunks in time
}

func newProvenRange(f *facts) check {
	return &provenRange{f.run.Proven, slots.New(1e9, maxSlots, func(into, from *int64) { *into += *from })}
}

func (c *provenRange) add(v *view) {
	if c.proven == nil || v.Warmup {
		return
	}
	for _, at := range v.Chunks {
		*c.chunks.At(v.Sent + at)++
	}
}

// busiest is the rate in the busiest slot, a second as a rule.
func (c *provenRange) busiest(span float64) float64 {
	if len(c.chunks.Cells) == 0 {
		return 0
	}
	return float64(slices.Max(c.chunks.Cells)) / (min(float64(c.chunks.Width), span) / 1e9)
}

func (c *provenRange) result(f *facts, l limits) Check {
	switch {
	case c.proven == nil || len(c.proven.Points) == 0:
		return skip("there is no self-test for this machine, program and engine: run inferometer selftest once")
	case f.measured == 0 || f.span() <= 0:
		return skip("no request was sent")
	}
	streams, _ := f.open.peak()
	rate := c.busiest(f.span())
	point, load := nearest(c.proven.Points, float64(streams), rate)
	ran := fmt.Sprintf("up to %d streams and %.0f token chunks a second", streams, rate)
	limit := fmt.Sprintf("up to %d streams at %.0f", point.Streams, point.TokensPerS)
	figure := fmt.Sprintf("%.2f ×", load)
	k := found(l, load, figure, "%s, within what the self-test proved (%s): TTFT is accurate to ±%g ms, inter-token times to ±%g ms (p99)",
		ran, limit, point.TTFTMS, point.ITLMS)
	if k.Level == Noted && c.proven.Busy != "" {
		return skip("%s, beyond what the self-test proved (%s), but that ran on a busy machine (%s): run inferometer selftest while nothing else runs", ran, limit, c.proven.Busy)
	}
	if k.Level == Noted {
		k.Sentence = fmt.Sprintf("%s, beyond what the self-test proved on this machine (%s): how far times are off is not known", ran, limit)
	}
	return k
}

// nearest is the smallest claim that covers a load, or the one that it exceeds
// least; and the load as a multiple of it.
func nearest(points []journal.ProvenPoint, streams, rate float64) (best journal.ProvenPoint, load float64) {
	covered := false
	load = math.MaxFloat64
	for _, p := range points {
		of := max(ratio(streams, float64(p.Streams)), ratio(rate, p.TokensPerS))
		better := of < load
		if of <= provenSlack {
			better = !covered || of > load
			covered = true
		} else if covered {
			continue
		}
		if better {
			best, load = p, of
		}
	}
	return best, load
}

// provenSlack lets a tenth pass: rates of one second vary by so much.
const provenSlack = 1.1
