package measure

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ExactLimit is how many values a Sample keeps as they are: 32 MB.
const ExactLimit = 4 << 20

// A Sample beyond its limit is a histogram of nanoseconds up to a day, with four
// significant digits. Its buckets are at most 1/16384 of their value wide.
const (
	histDigits = 4
	histMax    = int64(24 * 3600 * 1e9)
	histError  = 1e-4
)

// Sample is a set of durations in seconds, of any size, in bounded memory: exact
// up to a limit, a histogram beyond it. Mean, standard deviation, minimum and
// maximum stay exact but for rounding.
//
// Values come in the order in which requests ended. NumPy's sums depend on order
// in the last digit, so a Sample remembers which request each run of values
// belongs to, and puts them in the order of requests before it adds them up.
type Sample struct {
	limit  int
	values []float64
	runs   []valueRun
	hist   *hdrhistogram.Histogram

	n        int
	mean, m2 float64 // Welford's running mean and sum of squares, for when values are gone
	min, max float64
}

// valueRun says that values from start on belong to the request with this index.
type valueRun struct{ index, start int }

// NewSample returns an empty sample that keeps up to limit values exactly; 0 means ExactLimit.
func NewSample(limit int) *Sample {
	if limit <= 0 {
		limit = ExactLimit
	}
	return &Sample{limit: limit}
}

// Begin says that the values added from now on belong to the request with this index.
func (s *Sample) Begin(index int) {
	if s.hist == nil {
		s.runs = append(s.runs, valueRun{index, len(s.values)})
	}
}

// Add adds a value in seconds.
func (s *Sample) Add(v float64) {
	if s.n == 0 || v < s.min {
		s.min = v
	}
	if s.n == 0 || v > s.max {
		s.max = v
	}
	s.n++
	d := v - s.mean
	s.mean += d / float64(s.n)
	s.m2 += float64(d * (v - s.mean))

	if s.hist == nil && len(s.values) >= s.limit {
		s.spill()
	}
	if s.hist != nil {
		s.record(v)
		return
	}
	s.values = append(s.values, v)
}

// N is how many values were added.
func (s *Sample) N() int { return s.n }

// Exact says whether all values are still there.
func (s *Sample) Exact() bool { return s.hist == nil }

func (s *Sample) spill() {
	s.hist = hdrhistogram.New(1, histMax, histDigits)
	for _, v := range s.values {
		s.record(v)
	}
	s.values, s.runs = nil, nil
}

func (s *Sample) record(v float64) {
	ns := int64(math.Round(v * 1e9))
	// The range is clamped, so the only error RecordValue knows cannot happen.
	_ = s.hist.RecordValue(min(max(ns, 0), histMax))
}

// inOrder returns the values in the order of their requests.
func (s *Sample) inOrder() []float64 {
	sorted := slices.IsSortedFunc(s.runs, byIndex)
	if sorted {
		return s.values
	}
	type span struct{ index, start, end int }
	spans := make([]span, len(s.runs))
	for i, r := range s.runs {
		end := len(s.values)
		if i+1 < len(s.runs) {
			end = s.runs[i+1].start
		}
		spans[i] = span{r.index, r.start, end}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.index - b.index })
	out := make([]float64, 0, len(s.values))
	out = append(out, s.values[:s.runs[0].start]...)
	for _, sp := range spans {
		out = append(out, s.values[sp.start:sp.end]...)
	}
	return out
}

func byIndex(a, b valueRun) int { return a.index - b.index }

// Stats are the statistics of one metric, in milliseconds.
type Stats struct {
	N                 int
	Mean, Median, Std float64
	Min, Max          float64
	Percentiles       []Percentile // in the order asked for
	Error             float64      // bound of the relative error of median and percentiles; 0: exact
}

// Percentile is a percentile and its value in milliseconds.
type Percentile struct{ P, Value float64 }

// Stats computes the statistics with the percentiles asked for (each 0 to 100).
// Milliseconds come last, as vLLM has it: the statistic in seconds, times 1000.
func (s *Sample) Stats(percentiles []float64) Stats {
	st := Stats{N: s.n, Min: s.min * 1000, Max: s.max * 1000}
	st.Percentiles = make([]Percentile, len(percentiles))
	if s.hist != nil {
		st.Error = histError
		st.Mean = s.mean * 1000
		st.Std = math.Sqrt(s.m2/float64(s.n)) * 1000
		st.Median = s.histPercentile(50)
		for i, p := range percentiles {
			st.Percentiles[i] = Percentile{p, s.histPercentile(p)}
		}
		return st
	}
	values := s.inOrder()
	st.Mean = mean(values) * 1000
	st.Std = std(values) * 1000
	sorted := sortedCopy(values)
	st.Median = median(sorted) * 1000
	for i, p := range percentiles {
		st.Percentiles[i] = Percentile{p, percentile(sorted, p) * 1000}
	}
	return st
}

func (s *Sample) histPercentile(p float64) float64 {
	ms := float64(s.hist.ValueAtPercentile(p)) / 1e6
	// A bucket's upper edge may lie beyond what was ever seen.
	return min(max(ms, s.min*1000), s.max*1000)
}
