package measure

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

func TestStatisticsEqualNumPyToTheLastDigit(t *testing.T) {
	b, err := os.ReadFile("testdata/numpy_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			N                 int
			Seed              uint64
			Mean, Std, Median float64
			Percentiles       [][2]float64
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		v := make([]float64, c.N)
		for i := range v {
			v[i] = float64((uint64(i)*2654435761+c.Seed)%(1<<32)) / 1e9
		}
		check := func(what string, got, want float64) {
			if got != want {
				t.Errorf("n=%d seed=%d: %s = %v, NumPy has %v", c.N, c.Seed, what, got, want)
			}
		}
		check("mean", mean(v), c.Mean)
		check("std", std(v), c.Std)
		sorted := sortedCopy(v)
		check("median", median(sorted), c.Median)
		for _, p := range c.Percentiles {
			check("p"+strconv.FormatFloat(p[0], 'g', -1, 64), percentile(sorted, p[0]), p[1])
		}
	}
}

func TestGoldenPercentiles(t *testing.T) {
	var golden struct {
		Percentiles []struct {
			Values       []float64
			Mean, Median float64
			Std          float64 `json:"std_population"`
			P            map[string]float64
		}
	}
	testfiles.JSON(t, &golden, "compat", "golden.json")
	compared := 0
	for i, c := range golden.Percentiles {
		if c.Values == nil {
			continue // made by a generator that only NumPy has
		}
		compared++
		sorted := sortedCopy(c.Values)
		if mean(c.Values) != c.Mean || std(c.Values) != c.Std || median(sorted) != c.Median {
			t.Errorf("case %d: mean, std, median = %v, %v, %v, want %v, %v, %v", i,
				mean(c.Values), std(c.Values), median(sorted), c.Mean, c.Std, c.Median)
		}
		for name, want := range c.P {
			p, err := strconv.ParseFloat(name, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := percentile(sorted, p); got != want {
				t.Errorf("case %d: p%s = %v, want %v", i, name, got, want)
			}
		}
	}
	if compared == 0 {
		t.Fatal("no case with values")
	}
	t.Logf("%d cases compared", compared)
}

func TestEmptyStatisticsAreZero(t *testing.T) {
	st := NewSample(0).Stats([]float64{99})
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
	s := NewSample(0)
	for _, i := range []int{2, 0, 1} {
		s.Begin(i)
		for _, v := range byRequest[i] {
			s.Add(v)
		}
	}
	if got := s.Stats(nil).Mean; got != mean(want)*1000 {
		t.Errorf("mean %v, want %v: the values were added in another order", got, mean(want)*1000)
	}
}

func TestSampleBeyondItsLimitStatesItsError(t *testing.T) {
	const n = 20000
	exact, hist := NewSample(n), NewSample(1000)
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
	if a.Error != 0 || b.Error != histError {
		t.Errorf("errors %v and %v, want 0 and %v", a.Error, b.Error, histError)
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
	near("mean", b.Mean, a.Mean, 1e-12)
	near("std", b.Std, a.Std, 1e-12)
	if a.Min != b.Min || a.Max != b.Max || a.N != b.N {
		t.Error("minimum, maximum and count must stay exact")
	}
}

func sortedCopy(v []float64) []float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return s
}
