package selftest

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// Safety makes a claim wider than what was seen: a claim about the p99 of a run to
// come is three times the p99.9 of the worst round. Errors come in two sizes, that of the
// clocks and that of a moment in which another program had the processor. Whether
// such moments are less or more than one percent of a round is chance; the p99.9
// sees them in both cases. docs/doctor.md has how often claims held.
const Safety = 3

// smallest is the least that is claimed: below it the clocks' own error begins.
const smallest = 0.05 // ms

// timeSlice is the least that is claimed of TTFT. A step sees some hundred first
// tokens; whether one percent of those of a run to come fall into a moment in which
// another program has the processor, for a slice of 3 to 4 ms on Linux, is chance.
const timeSlice = 5 // ms

// Points are the claims: one for each step that holds and has one that holds above
// it. The highest that holds is not claimed, unless it is the only one: so close to
// where the client fails, whether it holds in a run to come is chance.
func Points(steps []Step) (points []journal.ProvenPoint) {
	for i := range steps {
		if claimed(steps, i) {
			points = append(points, claim(steps, &steps[i]))
		}
	}
	return points
}

func claimed(steps []Step, i int) bool { return steps[i].Fails == "" && !atTheEdge(steps, i) }

// atTheEdge says that a step is the highest that holds on its ladder, and not the lowest.
func atTheEdge(steps []Step, i int) bool {
	sameLadder := func(a, b *Step) bool { return a.Asked*float64(b.Streams) == b.Asked*float64(a.Streams) }
	below := i > 0 && steps[i-1].Fails == "" && sameLadder(&steps[i-1], &steps[i])
	above := i+1 < len(steps) && steps[i+1].Fails == "" && sameLadder(&steps[i], &steps[i+1])
	return below && !above
}

// claim is what a step proves. It covers all smaller loads, so it is no narrower than theirs.
func claim(steps []Step, top *Step) journal.ProvenPoint {
	p := journal.ProvenPoint{Streams: top.Streams, TokensPerS: top.rate()}
	for i := range steps {
		s := &steps[i]
		if s.Fails != "" || s.Streams > p.Streams || s.rate() > p.TokensPerS {
			continue
		}
		p.TTFTMS = max(p.TTFTMS, s.Worst(func(r *Round) float64 { return r.TTFTP999 }))
		p.ITLMS = max(p.ITLMS, s.Worst(func(r *Round) float64 { return r.ITLP999 }))
	}
	p.TTFTMS, p.ITLMS = max(widen(p.TTFTMS), timeSlice), widen(p.ITLMS)
	return p
}

// rate is what a step proves of tokens a second: what was asked for, if a round came
// close to it, which is rounding and jitter; else the most that came, by two digits.
func (s *Step) rate() float64 {
	const close = 0.95
	most := s.Worst(func(r *Round) float64 { return r.TokensPerS })
	if most >= close*s.Asked {
		return s.Asked
	}
	unit := math.Pow(10, math.Floor(math.Log10(max(most, 1)))-1)
	return math.Floor(most/unit) * unit
}

// widen takes the safety and rounds up to two digits.
func widen(v float64) float64 {
	v = max(Safety*v, smallest)
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(math.Ceil(v/unit-1e-9)*unit*1e6) / 1e6
}
