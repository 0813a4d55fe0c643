package stats

import (
	"math"
	"sort"
)

// exactLimit is up to where a binomial is computed exactly; beyond, the normal one
// is right to far more digits than ranks have.
const exactLimit = 1e7

// binomialCDF is the probability of at most k successes in n.
func binomialCDF(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	case n > exactLimit:
		q := float64(n) * p
		return math.Erfc((q-float64(k)-0.5)/math.Sqrt(2*q*(1-p))) / 2
	}
	return regularizedBeta(float64(n-k), float64(k+1), 1-p)
}

// Ranks are the ranks, from 0, of the two values of a sorted sample between which
// the p-quantile (0 < p < 1) of its distribution lies with at least this
// probability, whatever the distribution. The number of values below the quantile
// is binomial, so
//
//	low:  the largest rank l with  P(Bin(n, p) < l+1) ≤ (1 − level)/2
//	high: the smallest rank u with P(Bin(n, p) < u+1) ≥ (1 + level)/2
//
// Where n is too small, there is no such value: low is then −1, high is n.
//
// A correlated sample is worth effective values, fewer than n. The ranks are then
// those of as many independent values, carried over to the same share of the sample.
func Ranks(n int, effective, p, level float64) (low, high int) {
	m := n
	if effective < float64(n) {
		m = max(int(effective), 1)
	}
	tail := (1 - level) / 2
	// below(k) is the probability that the quantile lies below the k-th value, from 1.
	below := func(k int) float64 { return binomialCDF(k-1, m, p) }
	l := sort.Search(m+1, func(k int) bool { return below(k) > tail }) - 1 // 0: none
	u := sort.Search(m+1, func(k int) bool { return below(k) >= 1-tail })  // m+1: none
	scale := float64(n+1) / float64(m+1)
	low, high = -1, n
	if l >= 1 {
		low = max(int(math.Floor(float64(l)*scale)), 1) - 1
	}
	if u <= m {
		high = min(int(math.Ceil(float64(u)*scale)), n) - 1
	}
	return low, high
}

// LeastForQuantile is how many independent values the p-quantile (0 < p < 1) needs for an interval of this level with both ends.
func LeastForQuantile(p, level float64) int {
	return int(math.Ceil(math.Log((1-level)/2) / math.Log(max(p, 1-p))))
}
