package sample

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/stats"
)

func TestEmptyStatisticsAreZero(t *testing.T) {
	st := New(0).Stats([]float64{99})
	if st.Mean != 0 || st.Median != 0 || st.Std != 0 || st.Percentiles[0].Value != 0 || st.N != 0 {
		t.Errorf("an empty sample gives %+v", st)
	}
}

func TestSampleOrderIsThatOfRequests(t *testing.T) {
	// Sums of these depend on their order in the last digit.
	byRequest := [][]float64{{0.1, 1e9, 0.3}, {1e-9, 7}, {0.7, 3e8, 0.2, 0.11}}
	var want []float64
	for _, v := range byRequest {
		want = append(want, v...)
	}
	s := New(0)
	for _, i := range []int{2, 0, 1} {
		s.Begin(i)
		for _, v := range byRequest[i] {
			s.Add(v)
		}
	}
	if got := s.Stats(nil).Mean; got != stats.Mean(want)*1000 {
		t.Errorf("mean %v, want %v: the values were added in another order", got, stats.Mean(want)*1000)
	}
}

func TestSampleBeyondItsLimitStatesItsError(t *testing.T) {
	const n = 20000
	exact, hist := New(n), New(1000)
	for i := range n {
		v := math.Exp(float64(i*7919%n)/n*8-8) / 2 // 0.17 ms to 0.5 s
		exact.Add(v)
		hist.Add(v)
	}
	if !exact.Exact() || hist.Exact() {
		t.Fatal("the limit does not hold")
	}
	ps := []float64{1, 50, 90, 99, 99.9, 100}
	a, b := exact.Stats(ps), hist.Stats(ps)
	if a.Error != 0 || b.Error != HistError {
		t.Errorf("errors %v and %v, want 0 and %v", a.Error, b.Error, HistError)
	}
	// Neighbouring values differ by 0.04 %, and the two take them by different ranks.
	near := func(what string, got, want, within float64) {
		if math.Abs(got-want) > within*want {
			t.Errorf("%s: %v, exact %v", what, got, want)
		}
	}
	for i := range ps {
		near("percentile", b.Percentiles[i].Value, a.Percentiles[i].Value, b.Error+0.0004)
	}
	for what, pair := range map[string][2]float64{
		"count": {float64(b.N), float64(a.N)}, "mean": {b.Mean, a.Mean}, "std": {b.Std, a.Std}, "min": {b.Min, a.Min}, "max": {b.Max, a.Max},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-6 { // a nanosecond
			t.Errorf("%s: %v, exact %v", what, pair[0], pair[1])
		}
	}
}
