package tally

import "slices"

// Histogram counts values by fixed bounds, as Prometheus and OpenTelemetry both want it: the
// count of a bound is that of the values up to it and above the one before.
type Histogram struct {
	Bounds []float64 // ascending; above the last one is one count more
	Counts []uint64
	Sum    float64
	Count  uint64
}

// NewHistogram has no values yet. It shares bounds with others.
func NewHistogram(bounds []float64) Histogram {
	return Histogram{Bounds: bounds, Counts: make([]uint64, len(bounds)+1)}
}

// Add counts a value.
func (h *Histogram) Add(v float64) {
	i, _ := slices.BinarySearch(h.Bounds, v) // the first bound that is not below it
	h.Counts[i]++
	h.Count++
	h.Sum += v
}

// Merge adds one with the same bounds.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
	h.Count += o.Count
	h.Sum += o.Sum
}
