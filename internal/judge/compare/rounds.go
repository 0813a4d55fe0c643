package compare

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// rounds are the logarithms of B/A of a metric, one per round, and how much of each may be noise of the measuring: a
// standard deviation, by the bounds that the two runs put on their own numbers.
type rounds struct{ at, noise []float64 }

// roundsOf has no round where one lacks the metric, or it has no logarithm.
func roundsOf(a, b []result.Result, key string) rounds {
	var r rounds
	for i := range a {
		va, vb := a[i].Values[key], b[i].Values[key]
		if va <= 0 || vb <= 0 {
			return rounds{}
		}
		r.at = append(r.at, math.Log(vb/va))
		r.noise = append(r.noise, noiseOf(&a[i], &b[i], key))
	}
	return r
}

// noiseOf is the noise of a round's ratio. What hits both runs alike is not in it: the ratio is that of their lower
// bounds, of their upper bounds, or anything between, all as likely. Bounds are worst cases, and below half of the value they tell nothing.
func noiseOf(a, b *result.Result, key string) float64 {
	ends := func(r *result.Result) (low, high float64) {
		v, bounds := r.Values[key], r.Bounds[key]
		if bounds == (result.Bounds{}) {
			return 0, 0
		}
		return math.Log(max(bounds.Low/v, 0.5)), math.Log(min(max(bounds.High/v, 1), 2))
	}
	al, ah := ends(a)
	bl, bh := ends(b)
	return (max(bl-al, bh-ah, 0) - min(bl-al, bh-ah, 0)) / math.Sqrt(12)
}

// ratios are B/A of each round.
func (r rounds) ratios() []float64 {
	out := make([]float64, 0, len(r.at))
	for _, v := range r.at {
		out = append(out, math.Exp(v))
	}
	return out
}

// change is the change over rounds at the level of one analysis. There are two estimates of it, and the sharper
// one counts: the mean with Student's interval, and the trimmed mean with Yuen's, which a round that something
// disturbed does not move (see analysisLevel for what the choice costs). What the
// numbers of the runs may be off counts as noise: where that is more than the rounds differ by, the interval is as wide as that makes it.
func (r rounds) change(l look, opt Options) *Change {
	switch n := len(r.at); {
	case n == 0:
		return nil
	case n < 2:
		return &Change{Ratio: math.Expm1(r.at[0]), Runs: 1, Call: Unknown}
	}
	var best *Change
	for _, of := range centres {
		c := r.by(of, l, opt)
		if c != nil && (best == nil || c.High-c.Low < best.High-best.Low) {
			best = c
		}
	}
	switch {
	case best.Call == Real:
	case max(-best.Low, best.High) <= opt.Interest:
		best.Call = Same
	}
	return best
}

// by is the change by one of the two estimates; nil: there are too few rounds for it.
func (r rounds) by(of func([]float64) centre, l look, opt Options) *Change {
	m := of(r.at)
	if m.degrees <= 0 {
		return nil
	}
	squares := make([]float64, len(r.noise))
	for i, sd := range r.noise {
		squares[i] = sd * sd
	}
	err := max(m.err, math.Sqrt(of(squares).at/float64(len(r.at))))
	bound, sure := stats.StudentQuantile(1-l.level/2, m.degrees), stats.StudentQuantile(1-l.real/2, m.degrees)
	c := &Change{
		Ratio: relative(m.at), Runs: len(r.at), Bounded: true, Low: relative(m.at - bound*err), High: relative(m.at + bound*err),
		Smallest: relative(err * (sure + stats.StudentQuantile(0.8, m.degrees))), Call: Unclear, P: 1,
	}
	if math.Abs(m.at) > sure*err {
		c.Call = Real
	}
	if m.at != 0 { // adjusted from one analysis to the whole sequence
		c.P = min(1, stats.StudentTail(m.at/err, m.degrees)/l.level*(1-opt.Level))
	}
	return c
}

// centre is where values lie, the standard error of that, and its degrees of freedom.
type centre struct{ at, err, degrees float64 }

func (c centre) t() float64 { return math.Abs(c.at) / c.err }

// centres are the estimates of which the sharper one counts.
var centres = []func([]float64) centre{meanOf, trimmedOf}

func meanOf(values []float64) centre {
	var m stats.Moments
	for _, v := range values {
		m.Add(v)
	}
	return centre{m.Mean, m.StdError(), m.Degrees()}
}

// trimShare of the values are left out at each end: a single disturbed round from the fifth on, two from the tenth.
const trimShare = 0.2

// trimmed is how many of n values are left out at each end.
func trimmed(n int) int { return int(trimShare * float64(n)) }

// trimmedOf is the mean without the lowest and the highest values, and Yuen's standard error of it: that of all
// values with those drawn in to the next ones. No degrees of freedom: there are too few values to leave one out.
func trimmedOf(values []float64) centre { return trimmedSorted(slices.Sorted(slices.Values(values))) }

// fewKept widens Yuen's error where few values are kept, so that Student's quantiles hold from five values on: found
// by drawing 100,000 normal samples of each size from 5 to 20, at the levels 0.05, 0.01 and 0.003.
const fewKept = 2.7

func trimmedSorted(sorted []float64) centre {
	n := len(sorted)
	out := trimmed(n)
	if out == 0 {
		return centre{}
	}
	// Two passes over few values: the moments of the kept ones, and of all with the ends drawn in.
	kept, first, last := float64(n-2*out), sorted[out], sorted[n-1-out]
	sum := 0.0
	for _, v := range sorted[out : n-out] {
		sum += v
	}
	mean, drawnIn := sum/kept, (sum+float64(out)*(first+last))/float64(n)
	squares := float64(out) * ((first-drawnIn)*(first-drawnIn) + (last-drawnIn)*(last-drawnIn))
	for _, v := range sorted[out : n-out] {
		squares += (v - drawnIn) * (v - drawnIn)
	}
	err := math.Sqrt(squares/float64(n-1)/float64(n)) / (kept / float64(n))
	return centre{mean, err * (1 + fewKept*float64(out)/(kept*kept)), kept - 1}
}
