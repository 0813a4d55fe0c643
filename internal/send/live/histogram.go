package live

import (
	"math/bits"
	"sync/atomic"
)

// Latencies fall into buckets that grow with them: sixteen to each doubling, from a
// microsecond to more than an hour. The middle of a bucket is at most 1/32, 3.2 %, from
// any value in it.
const (
	fineBits = 4
	fine     = 1 << fineBits
	lowest   = 10 // doublings of a nanosecond below which all is one bucket
	highest  = 42
	buckets  = (highest-lowest)<<fineBits + 1
)

// Error is how far a percentile may be off, as a share of it.
const Error = 0.04

// bucketOf is branch-poor on purpose: it runs for each event of each stream.
func bucketOf(ns int64) int {
	if ns < 1<<lowest {
		return 0
	}
	octave := bits.Len64(uint64(ns)) - 1
	if octave >= highest {
		return buckets - 1
	}
	return (octave-lowest)<<fineBits + int(ns>>(octave-fineBits))&(fine-1) + 1
}

// middle is the value that stands for a bucket, in nanoseconds.
func middle(bucket int) float64 {
	if bucket == 0 {
		return 1 << (lowest - 1)
	}
	octave, part := lowest+(bucket-1)>>fineBits, (bucket-1)&(fine-1)
	width := float64(int64(1) << (octave - fineBits))
	return (float64(fine+part) + 0.5) * width
}

// counting is what writers add to. It only grows: a window is the difference of two
// readings, so that nobody has to clear anything while others count.
type counting [buckets]atomic.Uint64

func (c *counting) add(ns int64) { c[bucketOf(ns)].Add(1) }

// counted is a reading.
type counted [buckets]uint64

func (c *counted) read(from *counting) {
	for i := range c {
		c[i] += from[i].Load()
	}
}

func (c *counted) minus(before *counted) (diff counted, n uint64) {
	for i := range c {
		diff[i] = c[i] - before[i]
		n += diff[i]
	}
	return diff, n
}

// percentile is the value of rank ⌈p/100 · n⌉, in nanoseconds.
func (c *counted) percentile(p float64, n uint64) float64 {
	rank := max(uint64(p/100*float64(n)+0.999999), 1)
	for i, k := range c {
		if k >= rank {
			return middle(i)
		}
		rank -= k
	}
	return middle(buckets - 1)
}
