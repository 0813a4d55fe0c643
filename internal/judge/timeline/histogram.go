package timeline

import "math"

// histogram counts durations in bins whose width grows with the value. perOctave
// bins lie between a value and its double: 16 tell values apart by 4 %, 64 by 1 %.
type histogram struct {
	perOctave int
	counts    []uint32
	n         int
}

const (
	leastNs = 20_000 // all below is one bin: chunks that came in one read, whose gap is none
	octaves = 32     // up to 23 hours
)

func (h *histogram) add(ns int64) {
	if h.counts == nil {
		h.counts = make([]uint32, octaves*h.perOctave+1)
	}
	h.counts[h.bin(ns)]++
	h.n++
}

func (h *histogram) bin(ns int64) int {
	if ns <= leastNs {
		return 0
	}
	return min(1+int(math.Log2(float64(ns)/leastNs)*float64(h.perOctave)), len(h.counts)-1)
}

// upper is the value at which a bin ends, in nanoseconds.
func (h *histogram) upper(bin int) float64 {
	return leastNs * math.Exp2(float64(bin)/float64(h.perOctave))
}

// merge adds another one of the same kind.
func (h *histogram) merge(from *histogram) {
	if from.n == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint32, len(from.counts))
	}
	for i, n := range from.counts {
		h.counts[i] += n
	}
	h.n += from.n
}

// percentile is in nanoseconds, the place within a bin taken as even; NaN of nothing.
func (h *histogram) percentile(p float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	rank, before := p/100*float64(h.n), 0.0
	for i, n := range h.counts {
		if after := before + float64(n); n > 0 && after >= rank {
			return h.upper(i) * math.Exp2(((rank-before)/float64(n)-1)/float64(h.perOctave))
		}
		before += float64(h.counts[i])
	}
	return h.upper(len(h.counts) - 1)
}

// span is the first and the last bin with anything in it; ok is false of nothing.
func (h *histogram) span() (first, last int, ok bool) {
	first, last = -1, -1
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	return first, last, first >= 0
}
