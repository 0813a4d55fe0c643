package chart

import (
	"math"
	"strconv"
)

// scale takes values to pixels.
type scale struct {
	log      bool
	min, max float64 // of the values
	from, to float64 // pixels
}

// What is drawn has sizes at which sums and powers of ten are still numbers. Nothing
// that is measured comes near them.
const mostValue, leastValue = 1e15, 1e-15

// ok says whether a value has a place. NaN and infinities have none.
func (s *scale) ok(v float64) bool {
	return math.Abs(v) <= mostValue && (!s.log || v >= leastValue)
}

func (s *scale) at(v float64) float64 {
	a, b, x := s.min, s.max, v
	if s.log {
		a, b, x = math.Log10(a), math.Log10(b), math.Log10(v)
	}
	return s.from + (x-a)/(b-a)*(s.to-s.from)
}

// tick is a line of the grid and its words.
type tick struct {
	value float64
	label string
}

// fit makes a scale whose ends are round, with some ticks on it.
func fit(a *Axis, values func(yield func(float64)), from, to float64, most int) (scale, []tick) {
	s := scale{log: a.Log, from: from, to: to}
	low, high := math.Inf(1), math.Inf(-1)
	values(func(v float64) {
		if s.ok(v) {
			low, high = min(low, v), max(high, v)
		}
	})
	if low > high {
		low, high = 0, 1
		if s.log {
			low = 0.1
		}
	}
	if a.Zero && !s.log {
		low, high = min(low, 0), max(high, 0)
		if low == high { // nothing but zeros
			high = 1
		}
	}
	axis := *a
	if a.Min != nil && !s.ok(*a.Min) {
		axis.Min = nil
	}
	if a.Max != nil && !s.ok(*a.Max) {
		axis.Max = nil
	}
	a = &axis
	if a.Min != nil {
		low = *a.Min
	}
	if a.Max != nil {
		high = *a.Max
	}
	if s.log {
		return s.fitLog(a, low, high, most)
	}
	return s.fitLinear(a, low, high, most)
}

func (s scale) fitLinear(a *Axis, low, high float64, most int) (scale, []tick) {
	// Of values that differ by less than a float tells well, the middle is shown.
	if size := max(math.Abs(low), math.Abs(high)); high-low <= max(size*1e-9, leastValue) {
		high = low + max(size*0.1, 1e-9)
	}
	step := roundStep((high - low) / float64(max(most, 2)))
	s.min, s.max = math.Floor(low/step)*step, math.Ceil(high/step)*step
	if a.Min != nil {
		s.min = low
	}
	if a.Max != nil {
		s.max = high
	}
	var ticks []tick
	for i := math.Ceil(s.min/step - 1e-9); i*step <= s.max+step*1e-9 && len(ticks) <= 4*max(most, 2); i++ {
		ticks = append(ticks, tick{i * step, number(i*step, step)})
	}
	return s, ticks
}

// roundStep is 1, 2 or 5 times a power of ten, at least so much.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= least*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

func (s scale) fitLog(a *Axis, low, high float64, most int) (scale, []tick) {
	if high <= low {
		high = low * 10
	}
	first, last := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(high)-1e-9)
	if last <= first {
		last = first + 1
	}
	s.min, s.max = math.Pow(10, first), math.Pow(10, last)
	within := []float64{1}
	if (last-first)*3 <= float64(most) { // few decades: room for 2 and 5
		within = []float64{1, 2, 5}
		s.min, s.max = tighten(low, s.min, within, false), tighten(high, s.max, within, true)
	}
	if a.Min != nil {
		s.min = low
	}
	if a.Max != nil {
		s.max = high
	}
	every := int(math.Ceil((last - first) / float64(max(most, 1))))
	var ticks []tick
	for d := first; d <= last; d += float64(max(every, 1)) {
		for _, f := range within {
			if v := f * math.Pow(10, d); v >= s.min*(1-1e-9) && v <= s.max*(1+1e-9) {
				ticks = append(ticks, tick{v, number(v, v)})
			}
		}
	}
	return s, ticks
}

// tighten brings the end of a scale from its decade to the nearest 1, 2 or 5.
func tighten(v, end float64, within []float64, up bool) float64 {
	best := end
	for d := -1.0; d <= 1; d++ {
		for _, f := range within {
			at := f * end * math.Pow(10, d)
			if up && at >= v*(1-1e-9) && at < best || !up && at <= v*(1+1e-9) && at > best {
				best = at
			}
		}
	}
	return best
}

// number writes a tick with as many digits as its step needs.
func number(v, step float64) string {
	if v == 0 {
		return "0"
	}
	if math.Abs(v) >= 1e6 {
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + "M"
	}
	if math.Abs(v) >= 1e4 {
		return strconv.FormatFloat(v/1e3, 'g', 4, 64) + "k"
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if digits > 6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
