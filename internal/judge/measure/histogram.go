package measure

import "math/bits"

// histogram counts durations in nanoseconds in buckets whose width grows with the
// value: 8192 buckets for each power of two, so that a bucket's middle is within
// 1/16384 of whatever lies in it. Only the parts of the range that occur take
// memory, which for latencies is some tens of kilobytes.
type histogram struct {
	blocks [maxBuckets / blockLen]*block
	n      int
}

// histBits is how many bits below the highest one a bucket tells apart.
const histBits = 13

// maxBuckets is what the largest int64 needs.
const maxBuckets = (62-histBits)<<histBits + 2<<histBits

const blockLen = 1024

type block [blockLen]int64

// histError bounds the relative error of a percentile from a histogram.
const histError = 1e-4

// bucketOf is the bucket of a value. Below 16384 each value has its own; above,
// the highest 14 bits count, and the index goes on without a hole.
func bucketOf(ns int64) int {
	shift := max(bits.Len64(uint64(ns))-histBits-1, 0)
	return shift<<histBits + int(ns>>shift)
}

// middle is the value that stands for a bucket.
func middle(bucket int) float64 {
	if bucket < 2<<histBits {
		return float64(bucket)
	}
	shift := bucket>>histBits - 1
	low := int64(bucket-shift<<histBits) << shift
	return float64(low) + float64(int64(1)<<shift-1)/2
}

// add counts a value n times; with a negative n it takes it away again. What is
// below zero counts as zero.
func (h *histogram) add(ns int64, n int) {
	i := bucketOf(max(ns, 0))
	b := h.blocks[i/blockLen]
	if b == nil {
		b = new(block)
		h.blocks[i/blockLen] = b
	}
	b[i%blockLen] += int64(n)
	h.n += n
}

// at is the value with this rank, counted from 0, in the order of size.
func (h *histogram) at(rank int) float64 {
	before := int64(0)
	for i, b := range h.blocks {
		if b == nil {
			continue
		}
		for k, n := range b {
			before += n
			if before > int64(rank) {
				return middle(i*blockLen + k)
			}
		}
	}
	return 0
}

// percentile is in nanoseconds, by the same rule as that of exact values.
func (h *histogram) percentile(p float64) float64 {
	if h.n == 0 {
		return 0
	}
	below, t := position(h.n, p)
	a := h.at(below)
	if t == 0 {
		return a
	}
	return between(a, h.at(below+1), t)
}
