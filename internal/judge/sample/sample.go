// Package sample holds the values of one metric: durations in bounded memory, their statistics by
// NumPy's rules, and the intervals in which the system's own numbers lie.
package sample

import (
	"cmp"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/stats"
)

// ExactLimit is how many values a Sample keeps as they are: 8 MB.
const ExactLimit = 1 << 20

// Sample is a set of durations in seconds, of any size, in bounded memory: exact
// up to a limit, a histogram beyond it. Mean, standard deviation, minimum and
// maximum stay exact to the nanosecond.
//
// Values come in the order in which requests ended. NumPy's sums depend on order
// in the last digit, so a Sample remembers which request each run of values
// belongs to, and puts them in the order of requests before it adds them up.
type Sample struct {
	Limit  int
	Bits   int // of the histogram; 0: hist.FullBits
	values []float64
	runs   []valueRun
	hist   *hist.Histogram // of nanoseconds, once the limit is passed; values are gone then

	summed   bool // the next four are those of values, whose order is lost
	mean     float64
	std      float64
	min, max float64
}

// histError bounds the relative error of a percentile from a histogram, as reports
// state it: hist's own bound, rounded up.
const HistError = 1e-4

// valueRun says that values from start on belong to the request with this index.
type valueRun struct{ index, start int }

// New returns an empty sample that keeps up to limit values exactly; 0 means ExactLimit.
func New(limit int) *Sample {
	if limit <= 0 {
		limit = ExactLimit
	}
	return &Sample{Limit: limit}
}

// Reserve makes room for n values in an empty sample, as far as they would be kept. The
// room that stays empty takes no memory: nobody writes to it, as growing would.
func (s *Sample) Reserve(n int) {
	if n = min(max(n, 0), s.Limit); s.hist == nil && len(s.values) == 0 && n > cap(s.values) {
		s.values = make([]float64, 0, n)
	}
}

// ReserveRuns makes room for the values of n requests, each of which calls Begin.
func (s *Sample) ReserveRuns(n int) {
	if s.hist == nil && len(s.runs) == 0 {
		s.runs = make([]valueRun, 0, min(max(n, 0), s.Limit))
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
		if len(s.values) < s.Limit {
			s.values = append(s.values, v)
			return
		}
		s.Spill()
	}
	s.record(v)
}

// N is how many values there are.
func (s *Sample) N() int {
	if s.hist != nil {
		return s.hist.Count()
	}
	return len(s.values)
}

// Exact says whether all values are still there.
func (s *Sample) Exact() bool { return s.hist == nil }

// spill turns the values into a histogram.
func (s *Sample) Spill() {
	if s.hist != nil {
		return
	}
	s.hist = hist.New(cmp.Or(s.Bits, hist.FullBits))
	for _, v := range s.values {
		s.record(v)
	}
	s.values, s.runs = nil, nil
}

func (s *Sample) record(v float64) { s.hist.Add(Nanoseconds(v)) }

func Nanoseconds(v float64) int64 { return int64(math.Round(v * 1e9)) }

// remove takes a value out of a sample that is a histogram. Minimum and maximum stay
// as bounds.
func (s *Sample) Remove(v float64) { s.hist.Remove(Nanoseconds(v)) }

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
	st := Stats{N: s.N(), Percentiles: make([]Percentile, len(percentiles))}
	at := s.histPercentile
	if s.hist != nil {
		m := s.hist.Moments()
		st.Error, st.Median = s.relativeError(), at(50)
		st.Mean, st.Std, st.Min, st.Max = m.Mean/1e6, m.Std()/1e6, m.Min/1e6, m.Max/1e6
	} else {
		s.sum()
		stats.Select(s.values, percentiles)
		at = s.exactPercentile
		st.Median = stats.Median(s.values) * 1000
		st.Mean, st.Std, st.Min, st.Max = s.mean*1000, s.std*1000, s.min*1000, s.max*1000
	}
	for i, p := range percentiles {
		st.Percentiles[i] = Percentile{p, at(p)}
	}
	return st
}

// relativeError bounds the relative error of a percentile; 0: it is exact.
func (s *Sample) relativeError() float64 {
	switch {
	case s.hist == nil:
		return 0
	case s.Bits == 0:
		return HistError
	}
	return s.hist.Error()
}

func (s *Sample) histPercentile(p float64) float64 { return s.hist.Percentile(p) / 1e6 }

// exactPercentile is of values that stats.Select has put in their places.
func (s *Sample) exactPercentile(p float64) float64 { return stats.Percentile(s.values, p) * 1000 }

// at is the value with this rank, counted from 0, in milliseconds. Stats must have
// been called: the values lose their order.
func (s *Sample) at(rank int) float64 {
	if s.hist != nil {
		return s.hist.Rank(rank) / 1e6
	}
	return stats.Rank(s.values, rank) * 1000
}

// spread is the short form of Stats.
func (s *Sample) Spread() *Spread {
	switch {
	case s.N() == 0:
		return nil
	case s.hist != nil:
		return &Spread{Mean: s.hist.Moments().Mean / 1e6, P50: s.histPercentile(50), P99: s.histPercentile(99), Max: s.hist.Moments().Max / 1e6}
	}
	s.sum()
	stats.Select(s.values, []float64{50, 99, 100})
	return &Spread{Mean: s.mean * 1000, P50: s.exactPercentile(50), P99: s.exactPercentile(99), Max: s.exactPercentile(100)}
}

// sum computes the moments of exact values, for which their order counts, before
// percentiles put them into another.
func (s *Sample) sum() {
	if s.summed || len(s.values) == 0 {
		return
	}
	values := s.inOrder()
	s.mean, s.std = stats.Mean(values), stats.Std(values)
	s.min, s.max = slices.Min(values), slices.Max(values)
	s.summed, s.runs = true, nil
}

// above counts the values over a limit in nanoseconds, and adds them up.
func (s *Sample) Above(limit int64) (count int, sum float64) {
	if s.hist != nil {
		return s.hist.Above(float64(limit))
	}
	total := int64(0)
	for _, v := range s.values {
		if ns := Nanoseconds(v); ns > limit {
			count++
			total += ns
		}
	}
	return count, float64(total)
}

// histogram are the sample's values in buckets.
func (s *Sample) Histogram() *hist.Histogram {
	if s.hist != nil {
		return s.hist
	}
	h := hist.New(hist.FullBits)
	for _, v := range s.values {
		if !math.IsNaN(v) {
			h.Add(Nanoseconds(v))
		}
	}
	return h
}

func (s *Stats) Value(of metric.Statistic) (float64, bool) {
	switch of {
	case metric.Mean:
		return s.Mean, true
	case metric.Median:
		return s.Median, true
	case metric.Std:
		return s.Std, true
	}
	want, ok := of.Percentile()
	for _, p := range s.Percentiles {
		if ok && p.P == want {
			return p.Value, true
		}
	}
	return 0, false
}

// Spread is a short form of a distribution.
type Spread struct {
	Mean float64 `json:"mean_ms"`
	P50  float64 `json:"p50_ms"`
	P99  float64 `json:"p99_ms"`
	Max  float64 `json:"max_ms"`
}
