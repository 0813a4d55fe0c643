package stats

import (
	"math/bits"
	"slices"
	"sort"
)

// Select moves values so that Median and Percentile, for these percentiles, give what
// they would give of sorted ones. A result needs a handful of ranks of each sample;
// finding them takes some passes over the values where sorting takes twenty.
func Select(v, percentiles []float64) { order(v, ranksOf(len(v), percentiles)) }

// Rank moves values so that the one with this rank, from 0, is in its place, and returns it.
func Rank(v []float64, rank int) float64 {
	order(v, []int{rank})
	return v[rank]
}

// order moves values so that at each of the ranks (ascending) lies what a full
// sort would put there.
func order(v []float64, ranks []int) {
	orderFrom(v, 0, ranks, 4*bits.Len(uint(len(v))))
}

// orderFrom does it for values whose first has the rank base. After depth splits
// that went badly it sorts, so that no order of values can make it slow.
func orderFrom(v []float64, base int, ranks []int, depth int) {
	for len(ranks) > 0 && len(v) > 1 {
		if len(v) <= 32 || depth == 0 {
			slices.Sort(v)
			return
		}
		depth--
		p := pivot(v)
		n := smallerFirst(v, p)
		if n == 0 { // p is the smallest: all that equal it are in their place at once
			n = equalFirst(v, p)
		} else {
			left := sort.SearchInts(ranks, base+n)
			orderFrom(v[:n], base, ranks[:left], depth)
		}
		ranks = ranks[sort.SearchInts(ranks, base+n):]
		v, base = v[n:], base+n
	}
}

// pivot is a value near the middle: the median of three medians of three.
func pivot(v []float64) float64 {
	step := len(v) / 9
	three := func(i int) float64 {
		return medianOf3(v[i*step], v[(i+1)*step], v[(i+2)*step])
	}
	return medianOf3(three(0), three(3), three(6))
}

func medianOf3(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// smallerFirst moves the values below p to the front and says how many there are.
// It swaps whether needed or not and has no branch that depends on a value: a
// processor guesses such a branch wrong half of the time.
func smallerFirst(v []float64, p float64) int {
	n := 0
	for i, x := range v {
		v[i] = v[n]
		v[n] = x
		below := 0
		if x < p {
			below = 1
		}
		n += below
	}
	return n
}

// equalFirst does the same with the values that equal p.
func equalFirst(v []float64, p float64) int {
	n := 0
	for i, x := range v {
		if x == p {
			v[i], v[n] = v[n], x
			n++
		}
	}
	return n
}

// ranksOf are the ranks that the percentiles of n values are made of, and the median's.
func ranksOf(n int, percentiles []float64) []int {
	if n == 0 {
		return nil
	}
	ranks := []int{(n - 1) / 2, n / 2}
	for _, p := range percentiles {
		below, _ := Position(n, p)
		ranks = append(ranks, below, min(below+1, n-1))
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}
