package explain

import (
	"container/heap"
	"slices"
)

// mostSlow is how many of the slowest requests are kept.
const mostSlow = 100

// slow is where the time of one of them went, in nanoseconds.
type slow struct{ whole, queue, toFirst, toLast float64 }

// slowest keeps the slowest requests: a heap whose top is the fastest of them.
type slowest []slow

func (s slowest) Len() int           { return len(s) }
func (s slowest) Less(i, j int) bool { return s[i].whole < s[j].whole }
func (s slowest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slowest) Push(x any)        { *s = append(*s, x.(slow)) }
func (s *slowest) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	*s = (*s)[:last]
	return x
}

func (s *slowest) add(one slow) {
	switch {
	case len(*s) < mostSlow:
		heap.Push(s, one)
	case one.whole > (*s)[0].whole:
		(*s)[0] = one
		heap.Fix(s, 0)
	}
}

// top are the n slowest.
func (s slowest) top(n int) []slow {
	all := slices.SortedFunc(slices.Values(s), func(a, b slow) int {
		switch {
		case a.whole > b.whole:
			return -1
		case a.whole < b.whole:
			return 1
		}
		return 0
	})
	return all[:min(n, len(all))]
}
