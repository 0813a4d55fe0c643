package job

import (
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// Rollouts are batches of requests of which each is sent together and waited for as a whole, as reinforcement learning makes
// its answers: what counts is when the last one has come.
type Rollouts struct {
	Batches  int     // that were measured
	Answers  int     // requests in them, whatever their outcome
	Makespan Spread  // from the first send of a batch to its last end
	Tail     Spread  // the part of it in which fewer than a tenth of its answers were still running
	Longest  float64 // the longest answer of a batch against its median one, the mean over batches
}

// Spread is a mean and the largest value, in ms.
type Spread struct{ Mean, Max float64 }

func (s *Spread) add(ns int64, n int) {
	v := float64(ns) / 1e6
	s.Mean += (v - s.Mean) / float64(n)
	s.Max = max(s.Max, v)
}

// Batches takes in the requests of a run with batches of this size, about in the order in which they ended.
type Batches struct {
	size int
	open map[int]*batch
	out  Rollouts
}

type batch struct {
	first, last int64
	ends, took  []int64
}

// NewBatches returns nil where requests are not sent in batches, and nil takes in nothing.
func NewBatches(size int) *Batches {
	if size <= 0 {
		return nil
	}
	return &Batches{size: size, open: map[int]*batch{}}
}

// Add takes in a request. A batch that follows is sent when the one before has ended: that one is then counted.
func (b *Batches) Add(index int, sent, end int64) {
	if b == nil || index < 0 {
		return
	}
	n := index / b.size
	one := b.open[n]
	if one == nil {
		b.count()
		one = &batch{first: sent}
		b.open[n] = one
	}
	one.first, one.last = min(one.first, sent), max(one.last, end)
	one.ends, one.took = append(one.ends, end), append(one.took, max(end-sent, 0))
}

// count takes the open batch, which has ended, into the result.
func (b *Batches) count() {
	for n, one := range b.open {
		delete(b.open, n)
		out := &b.out
		out.Batches++
		out.Answers += len(one.ends)
		slices.Sort(one.ends)
		// Of 64 answers the tail begins with the end of the 58th: six are left, fewer than a tenth.
		left := (len(one.ends)+9)/10 - 1
		out.Makespan.add(one.last-one.first, out.Batches)
		out.Tail.add(one.last-one.ends[len(one.ends)-1-left], out.Batches)
		took := make([]float64, len(one.took))
		for i, ns := range one.took {
			took[i] = float64(ns)
		}
		slices.Sort(took)
		ratio := 1.0
		if m := stats.Median(took); m > 0 {
			ratio = took[len(took)-1] / m
		}
		out.Longest += (ratio - out.Longest) / float64(out.Batches)
	}
}

// Result is nil where there were none.
func (b *Batches) Result() *Rollouts {
	if b == nil {
		return nil
	}
	b.count()
	if b.out.Batches == 0 {
		return nil
	}
	return &b.out
}
