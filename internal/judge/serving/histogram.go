package serving

import (
	"math"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/journal"
)

// Times are one of the server's own histograms over just this run: what it held after the
// load less what it held before. In milliseconds.
type Times struct {
	Name  string    `json:"name"` // what the server calls it; of several servers, the first one's name
	Count float64   `json:"count"`
	Mean  float64   `json:"mean_ms"`
	P50   *Quantile `json:"p50,omitempty"` // nil: there are no buckets, or they don't fit together
	P90   *Quantile `json:"p90,omitempty"`
	P99   *Quantile `json:"p99,omitempty"`
}

// Quantile is as near as buckets tell: it lies between two bounds, and the value is what it
// would be if values were spread evenly between them.
type Quantile struct {
	Value *float64 `json:"value_ms"` // nil: above the last bound
	Low   float64  `json:"low_ms"`
	High  *float64 `json:"high_ms"` // nil: there is no bound above
}

// buckets are counts up to an upper bound, ascending, the last bound +Inf.
type buckets struct{ bounds, counts []float64 }

// bucketsOf reads what a scrape has of a histogram; false: nothing that is one.
func bucketsOf(s *journal.Scrape, name string, scale float64) (buckets, bool) {
	raw := s.Buckets[name]
	if raw == nil {
		raw = s.Buckets[name+"_bucket"]
	}
	sums := map[float64]float64{}
	for text, n := range raw {
		bound, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(bound) || math.IsNaN(n) || math.IsInf(n, 0) {
			return buckets{}, false
		}
		sums[bound*scale] += n
	}
	var b buckets
	for bound := range sums {
		b.bounds = append(b.bounds, bound)
	}
	slices.Sort(b.bounds)
	for _, bound := range b.bounds {
		b.counts = append(b.counts, sums[bound])
	}
	return b, len(b.bounds) > 1 && math.IsInf(b.bounds[len(b.bounds)-1], 1)
}

// less is what came after. A histogram that was not there before began empty; one with other
// bounds is another one. Counts must not fall, neither in time nor from bound to bound.
func (b buckets) less(before buckets, had bool) (buckets, bool) {
	d := buckets{b.bounds, slices.Clone(b.counts)}
	if had {
		if !slices.Equal(b.bounds, before.bounds) {
			return buckets{}, false
		}
		for i := range d.counts {
			d.counts[i] -= before.counts[i]
		}
	}
	return d, d.sound()
}

func (b buckets) sound() bool { return slices.IsSorted(b.counts) && b.counts[0] >= 0 }

func (b buckets) total() float64 { return b.counts[len(b.counts)-1] }

func (b buckets) plus(o buckets) (buckets, bool) {
	if !slices.Equal(b.bounds, o.bounds) {
		return buckets{}, false
	}
	sum := buckets{b.bounds, slices.Clone(b.counts)}
	for i := range sum.counts {
		sum.counts[i] += o.counts[i]
	}
	return sum, true
}

// quantile is the value below which a share of all lies, in milliseconds.
func (b buckets) quantile(q float64) *Quantile {
	rank := q * b.total()
	at, _ := slices.BinarySearchFunc(b.counts, rank, func(n, rank float64) int {
		if n < rank {
			return -1
		}
		return 1
	})
	at = min(at, len(b.counts)-1)
	low, below := 0.0, 0.0
	if at > 0 {
		low, below = b.bounds[at-1], b.counts[at-1]
	} else {
		low = min(0, b.bounds[0])
	}
	out := &Quantile{Low: low * 1e3}
	if high := b.bounds[at]; !math.IsInf(high, 0) {
		share := 1.0
		if in := b.counts[at] - below; in > 0 {
			share = (rank - below) / in
		}
		value, high := (low+(high-low)*share)*1e3, high*1e3
		out.Value, out.High = &value, &high
	}
	return out
}

// fill gives the percentiles. The count of the buckets must be the histogram's.
func (t *Times) fill(b buckets) {
	if b.total() <= 0 || b.total() != t.Count {
		return
	}
	t.P50, t.P90, t.P99 = b.quantile(0.5), b.quantile(0.9), b.quantile(0.99)
}
