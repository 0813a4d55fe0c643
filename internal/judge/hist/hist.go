// Package hist counts durations, of any number and size, in bounded memory and with
// a stated relative error.
//
// Buckets grow with the value: each power of two is cut into 2^bits buckets of equal
// width, so that the middle of a bucket lies within a share of 2^-(bits+1) of every
// value in it. Values below 2^(bits+1) have a bucket each. Only the parts of the range
// that hold values take memory. Count, mean, variance, minimum and maximum are not
// read from buckets: they are exact but for rounding.
//
// Histograms merge without further error, also those of other processes: they have a
// binary form (see MarshalBinary).
package hist

import (
	"iter"
	"math"
	"math/bits"

	"github.com/inferometer/inferometer/internal/stats"
)

// FullBits is the highest resolution: percentiles are within 0.007 %. The zero value
// has usualBits, within 0.05 %: its counts stay in a processor's cache, and adding a
// value is several times as quick.
const (
	FullBits  = 13
	usualBits = 10
)

// Histogram counts non-negative integers; its users count nanoseconds. The zero value
// is empty.
type Histogram struct {
	bits    uint8     // 0: usualBits
	blocks  [][]int64 // counts, block by block; nil where all are zero
	moments stats.Moments
}

// New returns an empty histogram of 2^bits buckets for each power of two, 1 to FullBits.
func New(bits int) *Histogram { return &Histogram{bits: uint8(min(max(bits, 1), FullBits))} }

func (h *Histogram) resolution() int {
	if h.bits == 0 {
		return usualBits
	}
	return int(h.bits)
}

// Error bounds the relative error of a percentile.
func (h *Histogram) Error() float64 { return math.Exp2(-float64(h.resolution() + 1)) }

// mostBlockBits bounds a block: 128 counts, 1 kB.
const mostBlockBits = 7

func (h *Histogram) blockBits() int { return min(h.resolution(), mostBlockBits) }

// buckets is how many the largest int64 needs.
func buckets(bits int) int { return (62-bits)<<bits + 2<<bits }

// Index is the bucket of a value. Below 2^(bits+1) each value has its own; above,
// the highest bits+1 bits count, and the index goes on without a hole.
func (h *Histogram) Index(v int64) int {
	b := h.resolution()
	shift := max(bits.Len64(uint64(v))-b-1, 0)
	return shift<<b + int(v>>shift)
}

// Bounds are the smallest and the largest value of a bucket.
func (h *Histogram) Bounds(index int) (low, high int64) {
	b := h.resolution()
	if index < 2<<b {
		return int64(index), int64(index)
	}
	shift := index>>b - 1
	low = int64(index-shift<<b) << shift
	return low, low + (1<<shift - 1)
}

// middle is the value that stands for a bucket, which never lies beyond what was seen.
func (h *Histogram) middle(index int) float64 {
	low, high := h.Bounds(index)
	v := float64(low) + float64(high-low)/2
	return min(max(v, h.moments.Min), h.moments.Max)
}

// Add counts a value. What is below zero counts as zero.
func (h *Histogram) Add(v int64) {
	v = max(v, 0)
	h.moments.Add(float64(v))
	i, size := h.Index(v), h.blockBits()
	if at := i >> size; at < len(h.blocks) {
		if block := h.blocks[at]; block != nil { // as a rule: it must be quick
			block[i&(len(block)-1)]++
			return
		}
	}
	h.count(i, 1)
}

// Remove takes out a value that was added. Min and Max stay as bounds.
func (h *Histogram) Remove(v int64) {
	v = max(v, 0)
	h.moments.Remove(float64(v))
	h.count(h.Index(v), -1)
}

func (h *Histogram) count(index int, n int64) {
	size := h.blockBits()
	at := index >> size
	if at >= len(h.blocks) {
		h.blocks = append(h.blocks, make([][]int64, at+1-len(h.blocks))...)
	}
	if h.blocks[at] == nil {
		h.blocks[at] = make([]int64, 1<<size)
	}
	h.blocks[at][index&(1<<size-1)] += n
}

// Merge takes in the values of another one. If their resolutions differ, the result
// has the coarser one's.
func (h *Histogram) Merge(o *Histogram) {
	if o.resolution() < h.resolution() {
		coarse := New(o.resolution())
		coarse.merge(h)
		*h = *coarse
	}
	h.merge(o)
}

// merge takes in one of the same resolution or a finer one, whose buckets each lie in
// one of ours.
func (h *Histogram) merge(o *Histogram) {
	for i, n := range o.All() {
		low, _ := o.Bounds(i)
		h.count(h.Index(low), n)
	}
	h.moments.Merge(o.moments)
}

// All are the buckets that hold values, in the order of size, with their counts.
func (h *Histogram) All() iter.Seq2[int, int64] {
	size := h.blockBits()
	return func(yield func(int, int64) bool) {
		for i, block := range h.blocks {
			for k, n := range block {
				if n != 0 && !yield(i<<size+k, n) {
					return
				}
			}
		}
	}
}

// Count is how many values there are.
func (h *Histogram) Count() int { return h.moments.N }

// Moments are mean, variance, minimum and maximum, to rounding.
func (h *Histogram) Moments() stats.Moments { return h.moments }

// Mean is 0 for no values.
func (h *Histogram) Mean() float64 { return h.moments.Mean }

// Rank is the value with this rank, from 0, in the order of size.
func (h *Histogram) Rank(rank int) float64 {
	before := int64(0)
	for i, n := range h.All() {
		if before += n; before > int64(rank) {
			return h.middle(i)
		}
	}
	return h.moments.Max
}

// Percentile (0 to 100) follows the rule of stats.Percentile; 0 for no values.
func (h *Histogram) Percentile(p float64) float64 {
	if h.moments.N == 0 {
		return 0
	}
	below, t := stats.Position(h.moments.N, p)
	a := h.Rank(below)
	if t == 0 {
		return a
	}
	return stats.Interpolate(a, h.Rank(below+1), t)
}

// Above counts the values over a limit, and adds them up, by the middles of buckets.
func (h *Histogram) Above(limit float64) (count int, sum float64) {
	for i, n := range h.All() {
		if v := h.middle(i); v > limit {
			count += int(n)
			sum += float64(n) * v
		}
	}
	return count, sum
}
