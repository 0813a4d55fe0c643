package stats

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
		check("mean", Mean(v), c.Mean)
		check("std", Std(v), c.Std)
		sorted := slices.Sorted(slices.Values(v))
		check("median", Median(sorted), c.Median)
		for _, p := range c.Percentiles {
			check("p"+strconv.FormatFloat(p[0], 'g', -1, 64), Percentile(sorted, p[0]), p[1])
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
		sorted := slices.Sorted(slices.Values(c.Values))
		if Mean(c.Values) != c.Mean || Std(c.Values) != c.Std || Median(sorted) != c.Median {
			t.Errorf("case %d: mean, std, median = %v, %v, %v, want %v, %v, %v", i,
				Mean(c.Values), Std(c.Values), Median(sorted), c.Mean, c.Std, c.Median)
		}
		for name, want := range c.P {
			p, err := strconv.ParseFloat(name, 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := Percentile(sorted, p); got != want {
				t.Errorf("case %d: p%s = %v, want %v", i, name, got, want)
			}
		}
	}
	if compared == 0 {
		t.Fatal("no case with values")
	}
	t.Logf("%d cases compared", compared)
}

// Running moments are those of the list, however it is cut into parts, and a value
// that is taken out leaves no trace.
func TestMoments(t *testing.T) {
	random := testfiles.Random(t)
	values := make([]float64, 1000)
	for i := range values {
		values[i] = 1e3 + random.NormFloat64()
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	check := func(name string, m Moments) {
		t.Helper()
		if m.N != len(values) || !near(m.Mean, Mean(values)) || !near(m.Std(), Std(values)) ||
			!near(m.Variance(), Std(values)*Std(values)*1000/999) || m.Min != slices.Min(values) || m.Max != slices.Max(values) {
			t.Errorf("%s: %+v, want mean %v, deviation %v", name, m, Mean(values), Std(values))
		}
	}
	check("one by one", MomentsOf(values))
	var merged Moments
	for rest := values; len(rest) > 0; {
		n := min(random.IntN(100), len(rest))
		merged.Merge(MomentsOf(rest[:n]))
		rest = rest[n:]
	}
	check("merged", merged)
	merged.Add(1000.5)
	merged.Remove(1000.5)
	check("taken out", merged)
	one := MomentsOf([]float64{3})
	if one.Variance() != 0 || one.Std() != 0 {
		t.Errorf("of one value: %+v", one)
	}
	if one.Remove(3); one != (Moments{}) {
		t.Errorf("the last one taken out: %+v", one)
	}
}

func TestMeanDeviation(t *testing.T) {
	// The deviation of a sample, as llama-bench prints it: samples_ts 172.65 and 170.368 there.
	avg, dev := MeanDeviation([]float64{172.65, 170.368})
	if math.Abs(avg-171.509) > 1e-3 || math.Abs(dev-1.613894) > 1e-3 {
		t.Errorf("%.4f ± %.4f, want 171.509 ± 1.614", avg, dev)
	}
	if _, dev := MeanDeviation([]float64{5}); dev != 0 {
		t.Errorf("one value deviates by %v", dev)
	}
	if avg, _ := MeanDeviation(nil); !math.IsNaN(avg) {
		t.Errorf("no value has the mean %v", avg)
	}
}
