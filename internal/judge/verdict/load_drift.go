package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/slots"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// drift looks for latencies of a closed loop that still rise or fall over the run: a
// cache that fills, a leak, a processor that gets hot. The first third of the sends is
// left out, in which a server warms up; the last third is compared with the middle one.
type drift struct{ latency trend }

func (c *drift) add(v *view) {
	if !v.Warmup && v.complete && !v.follows() {
		c.latency.add(v.Sent, float64(v.latency()))
	}
}

func (c *drift) result(f *facts, l limits) Check {
	if !f.closed() {
		return skip("not a closed loop: see growing")
	}
	third := (f.lastSent - f.firstSent) / 3
	// Within two latencies the same few requests are in flight: what they do together is no trend.
	if float64(third) < 2*ratio(f.latencies, float64(f.measured)) {
		return skip("too short a run to see a trend: a third of it is less than two latencies")
	}
	middle, last := c.latency.quarters(f.firstSent+third, third), c.latency.quarters(f.firstSent+2*third, third)
	what := "latency"
	switch {
	case f.conversing() && (middle == nil || last == nil):
		return skip("too few first turns (%d), or not throughout the run: later ones take longer by their history, and are no sign of a trend", f.paced.n)
	case middle == nil || last == nil:
		return skip("too few requests (%d) to see a trend", f.measured)
	case f.conversing():
		what = "latency of first turns"
	}
	a, b := stats.Mean(middle), stats.Mean(last)
	change := ratio(b, a) - 1
	figure := fmt.Sprintf("%+.0f %%", change*100)
	// Requests that are in flight together have the same luck, so each quarter counts
	// as one value; and what comes and goes lies on both sides. (The two quarters that
	// touch are left out of that: between them little can change.)
	sure := math.Abs(slope(slices.Concat(middle, last)))
	before, after := middle[:quartersOf-1], last[1:]
	apart := slices.Min(after) > slices.Max(before) || slices.Max(after) < slices.Min(before)
	if !apart || sure < 3 {
		return found(l, 0, figure, "%s: %s in the middle third of the sends, %s in the last, within chance", what, ms(a), ms(b))
	}
	k := found(l, math.Abs(change), figure, "%s: %s in the middle third of the sends, %s in the last, by %.1f standard errors", what, ms(a), ms(b), sure)
	k.Effect = effect(k, "a longer run would show other latencies and another throughput: no steady state was reached")
	return k
}

// trend keeps the sum of a value in time.
type trend struct{ *slots.Slots[sumCell] }

type sumCell struct{ n, sum float64 }

func newTrend() trend {
	return trend{slots.New(firstWidth, maxSlots, func(into, from *sumCell) {
		into.n += from.n
		into.sum += from.sum
	})}
}

func (t *trend) add(at int64, value float64) {
	c := t.At(at)
	c.n++
	c.sum += value
}

const quartersOf = 4

// quarters are the means in the quarters of a stretch of time; nil if one has too few values.
func (t *trend) quarters(from, length int64) []float64 {
	const fewest = 5
	var out []float64
	for q := range int64(quartersOf) {
		n, sum := 0.0, 0.0
		for i := (from + q*length/quartersOf) / t.Width; i < (from+(q+1)*length/quartersOf)/t.Width && i < int64(len(t.Cells)); i++ {
			n, sum = n+t.Cells[i].n, sum+t.Cells[i].sum
		}
		if n < fewest {
			return nil
		}
		out = append(out, sum/n)
	}
	return out
}

// slope is that of the line through values at even distances, in its standard errors.
func slope(values []float64) float64 {
	n := float64(len(values))
	center, m := (n-1)/2, stats.Mean(values)
	var xx, xy, rest float64
	for i, v := range values {
		x := float64(i) - center
		xx, xy = xx+x*x, xy+x*(v-m)
	}
	s := xy / xx
	for i, v := range values {
		d := v - m - s*(float64(i)-center)
		rest += d * d
	}
	return s / max(math.Sqrt(rest/(n-2)/xx), 1e-9*m) // without any rest it is as sure as can be
}
