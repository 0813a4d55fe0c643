package main

import (
	"io"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// inMemory is the journal of a simulated run.
type inMemory struct {
	run      journal.Run
	requests []journal.Request
	next     int
}

func (j *inMemory) Run() *journal.Run { return &j.run }
func (j *inMemory) End() *journal.End { return &journal.End{Sent: len(j.requests)} }
func (j *inMemory) Next() (*journal.Request, error) {
	if j.next == len(j.requests) {
		return nil, io.EOF
	}
	j.next++
	return &j.requests[j.next-1], nil
}

// seeded is a generator that is another one for each run.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20)) }

// settle is how many requests pass before a run begins: by then the queue has
// forgotten that it was empty.
const settle = 3000

func (m *model) options(n int) journal.Options {
	o := journal.Options{
		NumPrompts: n, Pace: "poisson", RequestRate: m.rate, MaxConcurrency: m.clients,
		PercentileMetrics: []string{"ttft", "itl", "e2el"}, MetricPercentiles: []float64{95, 99},
	}
	if m.rate == 0 {
		o.Pace = "closed"
	}
	return o
}

// oneRun cuts n requests out of the model's steady state and measures them.
func (m *model) oneRun(seed uint64, n int, j *inMemory) (*measure.Result, error) {
	j.run = journal.Run{Options: m.options(n)}
	if len(j.requests) != n {
		j.requests = make([]journal.Request, n)
	}
	j.next = 0
	random, seen, start := seeded(seed), 0, 0.0
	m.simulate(random, func(a arrival) bool {
		if seen++; seen <= settle {
			start = a.sent
			return true
		}
		i := seen - settle - 1
		a.record(i, start, random, &j.requests[i])
		return i+1 < n
	})
	return measure.Measure(j, measure.Options{})
}

// keys are the numbers whose intervals are put to the test.
func keys() []string {
	return []string{
		"mean_ttft_ms", "median_ttft_ms", "p95_ttft_ms", "p99_ttft_ms",
		"mean_e2el_ms", "median_e2el_ms", "p95_e2el_ms", "p99_e2el_ms",
		"mean_itl_ms", "median_itl_ms", "p95_itl_ms", "p99_itl_ms",
		"request_throughput",
	}
}

// truth is the same numbers of a run so long that its own error is small against
// the width of any interval.
func (m *model) truth(n int) (map[string]float64, error) {
	r, err := m.oneRun(0, n, &inMemory{})
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for _, in := range r.Confidence.Intervals {
		out[in.Key] = in.Estimate
	}
	return out, nil
}

// tally is how the intervals of one number did.
type tally struct {
	Key        string
	Runs       int
	Inside     int     // the truth lay in the interval, an end that is missing being no bound
	Open       int     // an end was missing
	Width      float64 // mean half width of those with both ends, as a share of the estimate
	Effective  float64 // mean effective n
	BelowAbove [2]int  // the truth lay below, above
	Early      int     // MLPerf's early stopping had an estimate
	EarlyHeld  int     // and the truth lay at or below it
}

// coverage measures runs of n requests each.
func (m *model) coverage(runs, n int, truth map[string]float64) ([]tally, error) {
	out := make([]tally, len(keys()))
	at := map[string]*tally{}
	for i, k := range keys() {
		out[i].Key = k
		at[k] = &out[i]
	}
	j := &inMemory{}
	for i := range runs {
		r, err := m.oneRun(m.first+uint64(i)+1, n, j)
		if err != nil {
			return nil, err
		}
		for k := range r.Confidence.Intervals {
			in := &r.Confidence.Intervals[k]
			if t := at[in.Key]; t != nil {
				t.add(&in.Interval, truth[in.Key])
				t.addEarly(in.Early, truth[in.Key])
			}
		}
	}
	for i := range out {
		out[i].mean()
	}
	return out, nil
}

// mean turns sums into means.
func (t *tally) mean() {
	t.Width /= float64(max(t.Runs-t.Open, 1))
	t.Effective /= float64(max(t.Runs, 1))
}

func (t *tally) add(in *sample.Interval, truth float64) {
	t.Runs++
	t.Effective += in.Effective
	switch {
	case in.Low != nil && truth < *in.Low:
		t.BelowAbove[0]++
	case in.High != nil && truth > *in.High:
		t.BelowAbove[1]++
	default:
		t.Inside++
	}
	if in.Low == nil || in.High == nil {
		t.Open++
		return
	}
	t.Width += in.HalfWidth()
}

func (t *tally) addEarly(e *sample.EarlyStopping, truth float64) {
	if e == nil || e.Estimate == nil {
		return
	}
	t.Early++
	if truth <= *e.Estimate {
		t.EarlyHeld++
	}
}
