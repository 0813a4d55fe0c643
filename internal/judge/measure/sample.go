package measure

import (
	"math"
	"slices"
)

// ExactLimit is how many values a Sample keeps as they are: 8 MB.
const ExactLimit = 1 << 20

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
	hist   *histogram // once the limit is passed; values are gone then

	moments
	std    float64 // of exact values, once they are summed
	summed bool    // the moments are those of values, whose order is lost
}

// moments are what can be known of values that are gone.
type moments struct {
	n        int
	mean, m2 float64 // Welford's running mean and sum of squares
	min, max float64
}

func (m *moments) add(v float64) {
	if m.n == 0 || v < m.min {
		m.min = v
	}
	if m.n == 0 || v > m.max {
		m.max = v
	}
	m.n++
	d := v - m.mean
	m.mean += d / float64(m.n)
	m.m2 += float64(d * (v - m.mean))
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

// Reserve makes room for n values, as far as they would be kept.
func (s *Sample) Reserve(n int) {
	if s.hist == nil {
		s.values = slices.Grow(s.values, min(max(n, 0), s.limit))
	}
}

// Begin says that the values added from now on belong to the request with this index.
func (s *Sample) Begin(index int) {
	if s.hist == nil {
		s.runs = append(s.runs, valueRun{index, len(s.values)})
	}
}

// Add adds a value in seconds.
func (s *Sample) Add(v float64) {
	if s.hist == nil {
		if len(s.values) < s.limit {
			s.values = append(s.values, v)
			return
		}
		s.spill()
	}
	s.record(v)
}

// N is how many values there are.
func (s *Sample) N() int {
	if s.hist != nil {
		return s.hist.n
	}
	return len(s.values)
}

// Exact says whether all values are still there.
func (s *Sample) Exact() bool { return s.hist == nil }

// spill turns the values into a histogram.
func (s *Sample) spill() {
	if s.hist != nil {
		return
	}
	s.hist = new(histogram)
	for _, v := range s.values {
		s.record(v)
	}
	s.values, s.runs = nil, nil
}

func (s *Sample) record(v float64) {
	s.moments.add(v)
	s.hist.add(int64(math.Round(v*1e9)), 1)
}

// remove takes a value out of a sample that is a histogram. Mean, percentiles and
// count are then those of the rest; standard deviation, minimum and maximum are not.
func (s *Sample) remove(v float64) {
	s.hist.add(int64(math.Round(v*1e9)), -1)
	s.n--
	if s.n == 0 {
		s.mean = 0
		return
	}
	s.mean -= (v - s.mean) / float64(s.n)
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
// It may be called again, but no value may be added after it.
func (s *Sample) Stats(percentiles []float64) Stats {
	st := Stats{Percentiles: make([]Percentile, len(percentiles))}
	at := s.histPercentile
	if s.hist != nil {
		st.Error = histError
		st.Std = math.Sqrt(s.m2/float64(max(s.n, 1))) * 1000
		st.Median = at(50)
	} else {
		s.sum()
		order(s.values, ranksOf(len(s.values), percentiles))
		at = func(p float64) float64 { return percentile(s.values, p) * 1000 }
		st.Std = s.std * 1000
		st.Median = median(s.values) * 1000
	}
	st.N, st.Mean, st.Min, st.Max = s.n, s.mean*1000, s.min*1000, s.max*1000
	for i, p := range percentiles {
		st.Percentiles[i] = Percentile{p, at(p)}
	}
	return st
}

// at is the value with this rank, counted from 0, in milliseconds. Stats must have
// been called: the values lose their order.
func (s *Sample) at(rank int) float64 {
	if s.hist != nil {
		return min(max(s.hist.at(rank)/1e6, s.min*1000), s.max*1000)
	}
	order(s.values, []int{rank})
	return s.values[rank] * 1000
}

// spread is the short form of Stats, for which the values need not be added up.
func (s *Sample) spread() *Spread {
	switch {
	case s.N() == 0:
		return nil
	case s.hist != nil:
		return &Spread{P50: s.histPercentile(50), P99: s.histPercentile(99), Max: s.max * 1000}
	}
	order(s.values, ranksOf(len(s.values), []float64{50, 99, 100}))
	at := func(p float64) float64 { return percentile(s.values, p) * 1000 }
	return &Spread{P50: at(50), P99: at(99), Max: at(100)}
}

// sum computes the moments of exact values, for which their order counts, before
// percentiles put them into another.
func (s *Sample) sum() {
	if s.summed || len(s.values) == 0 {
		return
	}
	values := s.inOrder()
	s.moments = moments{n: len(values), mean: mean(values), min: values[0], max: values[0]}
	for _, v := range values {
		if v < s.min {
			s.min = v
		}
		if v > s.max {
			s.max = v
		}
	}
	s.std = std(values)
	s.summed, s.runs = true, nil
}

func (s *Sample) histPercentile(p float64) float64 {
	// A bucket's middle may lie beyond what was ever seen.
	return min(max(s.hist.percentile(p)/1e6, s.min*1000), s.max*1000)
}
