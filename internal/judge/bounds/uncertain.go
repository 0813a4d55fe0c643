package bounds

import (
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// uncertain keeps those values of a sample that are known within bounds only. A percentile is
// a function of order statistics, each of which grows with every value: so the
// percentile of all lower ends bounds the percentile of the truth from below, and
// that of all upper ends from above. The others are in the sample: only what differs is kept,
// in histograms.
type uncertain struct {
	n              int
	was, low, high *hist.Histogram // as measured, at least, at most; nil: there are none
	even           *hist.Histogram // what is most likely
	moved          float64         // what the sum of all values is likely to change by, in nanoseconds
	less, more     float64         // what the sum of all values may be smaller and larger by, in nanoseconds

	mostSure, mostLow, mostHigh int64 // the largest of the sure values, and of both ends
	gaps                        []gapValues
}

// gapValues is a gap whose stretch has not ended, and how many values share it.
type gapValues struct {
	ns int64
	n  int
}

// sure takes in a value that is known.
func (u *uncertain) sure(v float64) { u.mostSure = max(u.mostSure, sample.Nanoseconds(v)) }

// one takes in a value in seconds with its bounds, and what is most likely.
func (u *uncertain) one(v, low, high, likely float64) {
	if low == high {
		u.sure(v)
		return
	}
	u.begin()
	was, a, b := sample.Nanoseconds(v), sample.Nanoseconds(low), sample.Nanoseconds(high)
	u.was.Add(was)
	even := sample.Nanoseconds(likely)
	u.even.Add(even)
	u.moved += float64(even - was)
	u.ends(a, b)
	u.less, u.more = u.less+float64(was-a), u.more+float64(b-was)
}

func (u *uncertain) begin() {
	if u.was == nil {
		u.was, u.low, u.high, u.even = hist.New(hist.FullBits), hist.New(hist.FullBits), hist.New(hist.FullBits), hist.New(hist.FullBits)
	}
}

func (u *uncertain) ends(low, high int64) {
	u.n++
	u.low.Add(low)
	u.high.Add(high)
	u.mostLow, u.mostHigh = max(u.mostLow, low), max(u.mostHigh, high)
}

// see takes in a gap, and how many values share it, before its stretch is known.
func (u *uncertain) see(ns int64, values int) { u.gaps = append(u.gaps, gapValues{ns, values}) }

// stretch takes in what is known of the gaps so far. Of n values with the sum s, the j-th largest
// is s/j at most, and the largest is s/n at least.
func (u *uncertain) stretch(s row.Stretch) {
	defer func() { u.gaps = u.gaps[:0] }()
	if s.Exact {
		u.mostSure = max(u.mostSure, u.gaps[0].ns/int64(u.gaps[0].n))
		return
	}
	u.begin()
	sum := int64(0)
	for _, g := range u.gaps {
		sum += g.ns
		each := sample.Nanoseconds(row.Seconds(g.ns) / float64(g.n)) // as the sample has it
		for range g.n {
			u.was.Add(each)
		}
	}
	for range s.Values { // likely they are as long as each other
		u.even.Add(sum / int64(s.Values))
	}
	if s.Gaps == 1 { // the values of one gap are equal
		for range s.Values {
			u.ends(s.Low/int64(s.Values), ceil(s.High, s.Values))
		}
	} else {
		for j := 1; j <= s.Values; j++ {
			low := int64(0)
			if j == 1 {
				low = s.Low / int64(s.Values)
			}
			u.ends(low, ceil(s.High, j))
		}
	}
	u.less, u.more = u.less+float64(sum-s.Low), u.more+float64(s.High-sum)
}

// ceil is a/n, rounded up.
func ceil(a int64, n int) int64 { return (a + int64(n) - 1) / int64(n) }

// bounds are those of the sample's mean, maximum and percentiles.
func (u *uncertain) bounds(s *sample.Sample, percentiles []float64) Range {
	r := Range{Count: s.N(), Within: u.n, Bounds: map[string]Ends{}, Shown: map[string]float64{}, Parts: map[string]map[Part]Ends{}}
	st := s.Stats(boundedPercentiles(percentiles))
	r.Bounds["mean_ms"], r.Bounds["max_ms"] = Ends{st.Mean, st.Mean}, Ends{st.Max, st.Max}
	for _, p := range st.Percentiles {
		r.Bounds[percentileKey(p.P)] = Ends{p.Value, p.Value}
	}
	for statistic, ends := range r.Bounds {
		r.Shown[statistic] = ends[0]
	}
	u.widen(&r, SharedReads, s, &st)
	return r
}

// boundedPercentiles have bounds in every result, and those that were asked for.
func boundedPercentiles(asked []float64) []float64 {
	return append([]float64{50, 90, 99, 99.9}, asked...)
}

// widen adds what is not sure to the bounds of the sample's statistics.
func (u *uncertain) widen(r *Range, part Part, s *sample.Sample, st *sample.Stats) {
	if u.n == 0 {
		return
	}
	n := float64(s.N())
	r.widen("mean_ms", part, min(u.less/n/1e6, st.Mean), u.more/n/1e6)
	r.likely("mean_ms", part, u.moved/n/1e6)
	least, most := float64(max(u.mostSure, u.mostLow))/1e6, float64(max(u.mostSure, u.mostHigh))/1e6
	r.widen("max_ms", part, st.Max-least, most-st.Max)
	all := s.Histogram()
	low, high := all.Replaced(u.was, u.low), all.Replaced(u.was, u.high)
	var even *hist.Histogram
	if u.even != nil {
		even = all.Replaced(u.was, u.even)
	}
	slack := all.Error()
	for _, p := range st.Percentiles {
		least, most := low.Percentile(p.P)/1e6*(1-slack), high.Percentile(p.P)/1e6*(1+slack)
		r.widen(percentileKey(p.P), part, p.Value-least, most-p.Value)
		if even != nil {
			r.likely(percentileKey(p.P), part, even.Percentile(p.P)/1e6-p.Value)
		}
	}
}

// percentileKey is its name in a result: p99_ms, p99.9_ms.
func percentileKey(p float64) string {
	return "p" + strconv.FormatFloat(p, 'f', -1, 64) + "_ms"
}
