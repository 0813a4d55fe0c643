package hist

// Replaced is a copy in which some of the values, old, are others. old must have been
// counted in h, with as many values as with has, and all three have one resolution. Of its
// moments only the count is right; minimum and maximum are bounds.
func (h *Histogram) Replaced(old, with *Histogram) *Histogram {
	out := &Histogram{bits: h.bits}
	out.merge(h)
	for i, n := range old.All() {
		out.count(i, -n)
	}
	for i, n := range with.All() {
		out.count(i, n)
	}
	out.moments.Min = min(out.moments.Min, with.moments.Min)
	out.moments.Max = max(out.moments.Max, with.moments.Max)
	return out
}

// Without is a copy that lacks some of the values. They must have been counted in h, with the same resolution. Of its moments
// only the count is right; minimum and maximum are bounds.
func (h *Histogram) Without(old *Histogram) *Histogram {
	out := h.Replaced(old, &Histogram{bits: h.bits})
	out.moments.N = h.moments.N - old.moments.N
	out.moments.Min, out.moments.Max = h.moments.Min, h.moments.Max
	return out
}
