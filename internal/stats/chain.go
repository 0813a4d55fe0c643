package stats

import (
	"math"
	"slices"
)

// Chain is the values of one metric and their place in time: in which group of
// neighbours each lies. Values that wait for the same thing are slow together, so a
// chain is worth fewer independent values than it has; docs/confidence.md has the rule.
type Chain struct {
	Values []float64
	Groups int
	Group  func(i int) int // of a value, from 0 to Groups-1
}

// maxGroups bounds the cost of an autocorrelation. A group is far shorter than a
// run, and what lies within it is added up, so that no correlation is lost.
const maxGroups = 128

// InSequence makes a chain of values that follow one another.
func InSequence(values []float64) Chain {
	groups := min(len(values), maxGroups)
	return Chain{values, groups, func(i int) int { return i * groups / len(values) }}
}

// InTime makes a chain of values of many streams at once, each with the moment at
// which it ended: those of all streams at one moment lie together.
func InTime[T int64 | float64](values []float64, ends []T) Chain {
	if len(values) == 0 || len(ends) != len(values) {
		return InSequence(values)
	}
	first, last := float64(slices.Min(ends)), float64(slices.Max(ends)) // no moment is so far from another that this overflows
	groups := min(len(values), maxGroups)
	share := float64(groups) / (last - first)
	return Chain{values, groups, func(i int) int {
		at := (float64(ends[i]) - first) * share
		if !(at > 0) { // also where all ended at one moment
			return 0
		}
		return min(int(at), groups-1)
	}}
}

// Dependence is τ of the mean of f over the chain: its variance as a multiple of what
// it would be with independent values. It comes from the sums of groups,
//
//	d(g) = Σ over the group of (f − mean),   τ = τ(d) · Σd² / Σ(f − mean)²
//
// which is right too where groups hold different numbers of values.
func (c *Chain) Dependence(f func(v float64) float64) Dependence {
	n := float64(len(c.Values))
	mean := 0.0
	for _, v := range c.Values {
		mean += f(v)
	}
	mean /= n
	sums, each, all := make([]float64, c.Groups), 0.0, 0.0
	for i, v := range c.Values {
		d := f(v) - mean
		sums[c.Group(i)] += d
		each += d * d
	}
	for _, d := range sums {
		all += d * d
	}
	d := DependenceOf(sums)
	if each <= 0 || all <= 0 {
		return Dependence{Time: 1, Degrees: d.Degrees}
	}
	d.Time = min(max(d.Time*all/each, 1), n) // never better than independent
	return d
}

// minMean is the least number of values for an interval of a mean.
const minMean = 10

// Mean is the interval of the chain's mean, and the degrees of freedom with which its
// width is known. It can't be had of few values, or of values so correlated that they
// are worth one.
func (c *Chain) Mean(level float64) (low, high, degrees float64, ok bool) {
	if len(c.Values) < minMean {
		return 0, 0, 0, false
	}
	m := MomentsOf(c.Values)
	d := c.Dependence(func(v float64) float64 { return v })
	effective := d.Effective(len(c.Values), level)
	if effective < 2 {
		return 0, 0, 0, false
	}
	half := NormalQuantile((1+level)/2) * math.Sqrt(m.Variance()/effective)
	return m.Mean - half, m.Mean + half, d.Degrees, true
}

// clearTail is how many values must lie beyond a percentile for their order to
// show whether they come together.
const clearTail = 100

// Quantile is the interval of the chain's p-quantile by order statistics. Where fewer
// than clearTail values lie beyond it, how they depend on each other is taken from the
// nearest quantile that has as many beyond it.
func (c *Chain) Quantile(p, level float64) (low, high, degrees float64, ok bool) {
	n := len(c.Values)
	if n == 0 || p <= 0 || p >= 1 {
		return 0, 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(c.Values))
	tail := min(clearTail/float64(n), 0.5)
	visible := min(max(p, tail), 1-tail)
	threshold := sorted[min(int(visible*float64(n)), n-1)]
	d := c.Dependence(func(v float64) float64 {
		if v <= threshold {
			return 1
		}
		return 0
	})
	effective := float64(n)
	if d.Time > 1 { // the ranks of independent values are exact as they are
		effective = d.Effective(n, level)
	}
	l, h := Ranks(n, effective, p, level)
	if l < 0 || h >= n {
		return 0, 0, 0, false
	}
	return sorted[l], sorted[h], d.Degrees, true
}
