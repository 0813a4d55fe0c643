package stats

import "math"

// Pairs are two answers to each of many questions, counted by which of the two is right.
type Pairs struct {
	Both, First, Second, Neither int
}

// N is how many pairs there are.
func (p Pairs) N() int { return p.Both + p.First + p.Second + p.Neither }

// Difference is the share of right answers of the second minus that of the first.
func (p Pairs) Difference() float64 {
	return float64(p.Second-p.First) / float64(max(p.N(), 1))
}

// McNemar is the probability, on either side, that chance alone parts the pairs in which
// only one is right as unevenly as this, or more: McNemar's test, exact. Of two that are
// equally good each such pair is a fair coin, whatever their accuracy and however much
// alike their answers are, so that it is below α at most in a share α of all cases.
func McNemar(first, second int) float64 {
	return min(1, 2*binomialCDF(min(first, second), first+second, 0.5))
}

// Interval holds the true difference (see Difference) but for 1 − level of cases. It is
// Tango's score interval: all differences δ that the score test does not reject,
//
//	|s − f − nδ| ≤ z √(n (2q + δ(1 − δ)))
//
// where s and f are the pairs in which only the second or only the first is right, and q is
// the likeliest probability of the latter if δ is true. It stays within −1 and 1, and has a
// width also where the two never differ.
func (p Pairs) Interval(level float64) (low, high float64) {
	if p.N() == 0 {
		return -1, 1
	}
	z := NormalQuantile((1 + level) / 2)
	at := p.Difference()
	return p.edge(-1, at, z), p.edge(1, at, z)
}

// edge is where the score reaches z between an end, where it is beyond, and the estimate,
// where it is zero: in between it only falls.
func (p Pairs) edge(outer, inner, z float64) float64 {
	for range 60 {
		if middle := (outer + inner) / 2; math.Abs(p.score(middle)) > z {
			outer = middle
		} else {
			inner = middle
		}
	}
	return (outer + inner) / 2
}

// score is Tango's statistic for a difference δ.
func (p Pairs) score(δ float64) float64 {
	n, s, f := float64(p.N()), float64(p.Second), float64(p.First)
	a, b, c := 2*n, -s-f+(2*n-s+f)*δ, -f*δ*(1-δ)
	q := (math.Sqrt(max(b*b-4*a*c, 0)) - b) / (2 * a)
	variance := n * (2*q + δ*(1-δ))
	away := s - f - n*δ
	switch {
	case variance > 0:
		return away / math.Sqrt(variance)
	case away == 0:
		return 0
	}
	return math.Copysign(math.Inf(1), away)
}
