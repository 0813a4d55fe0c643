package stats

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Values from tables of the distributions.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct{ p, degrees, want float64 }{
		{0.975, 1, 12.7062},
		{0.975, 4, 2.77645},
		{0.975, 19, 2.09302},
		{0.95, 10, 1.81246},
		{0.995, 30, 2.75000},
		{0.975, 1e6, 1.95996},
		{0.025, 4, -2.77645},
		{0.5, 7, 0},
		{0.975, 0.3, 12.7062}, // below one degree counts as one
		{1 - 1e-6, 1, 318309.9},
		{1 - 1e-6, 3, 103.2995},
		{0.6, 2, 0.288675},
		{0.5001, 4, 0.000266667},
		{1, 4, mostT},
		{0, 4, -mostT},
	} {
		if got := StudentQuantile(c.p, c.degrees); math.Abs(got-c.want) > 2e-5*max(1, math.Abs(c.want)) {
			t.Errorf("Student %v with %v degrees: %v, want %v", c.p, c.degrees, got, c.want)
		}
	}
	if got := NormalQuantile(0.975); math.Abs(got-1.959964) > 1e-6 {
		t.Errorf("normal 0.975: %v", got)
	}
}

// The cumulative binomial against the sum of its terms.
func TestBinomial(t *testing.T) {
	for _, n := range []int{1, 5, 36, 400} {
		for _, p := range []float64{0.01, 0.5, 0.95, 0.999} {
			sum := 0.0
			for k := range n + 1 {
				choose := lgamma(float64(n+1)) - lgamma(float64(k+1)) - lgamma(float64(n-k+1))
				sum += math.Exp(choose + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
				if got := binomialCDF(k, n, p); math.Abs(got-sum) > 1e-10 {
					t.Fatalf("P(Bin(%d, %v) ≤ %d) = %v, want %v", n, p, k, got, sum)
				}
			}
		}
	}
	exact, normal := binomialCDF(9_500_500, exactLimit, 0.95), binomialCDF(9_500_501, exactLimit+1, 0.95)
	if math.Abs(exact-normal) > 1e-3 {
		t.Errorf("the exact binomial and the normal one do not meet: %v and %v", exact, normal)
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		name         string
		n            int
		effective, p float64
		low, high    int
	}{
		{"median of ten: the second and the ninth value, as in textbooks", 10, 10, 0.5, 1, 8},
		{"median of six: the whole range is just enough", 6, 6, 0.5, 0, 5},
		{"median of five: not even the whole range", 5, 5, 0.5, -1, 5},
		{"p99 of 36: no upper end", 36, 36, 0.99, 33, 36},
		{"p99 of 367: still none", 367, 367, 0.99, 358, 367},
		{"p99 of 368: the maximum", 368, 368, 0.99, 359, 367},
		{"more effective values than values count as values", 10, 99, 0.5, 1, 8},
		{"a tenth of a hundred: ranks of ten, in the same place", 109, 10, 0.5, 19, 89},
		{"one value", 1, 1, 0.5, -1, 1},
	} {
		low, high := Ranks(c.n, c.effective, c.p, 0.95)
		if low != c.low || high != c.high {
			t.Errorf("%s: ranks %d and %d, want %d and %d", c.name, low, high, c.low, c.high)
		}
	}
}

// Millions of values must not be slow: a result asks for some fifty intervals.
func TestRanksOfMillionsAreQuick(t *testing.T) {
	began := time.Now()
	for range 100 {
		if low, high := Ranks(5_000_000, 5_000_000, 0.99, 0.95); low < 4_949_000 || high > 4_951_000 || low >= high {
			t.Fatalf("ranks %d and %d", low, high)
		}
	}
	if took := time.Since(began); took > time.Minute { // some 100 ms on a free machine; term by term it would be ten minutes
		t.Errorf("a hundred of them took %v", took)
	}
}

// process is a first-order autoregression, whose τ is (1+φ)/(1−φ).
func process(random *rand.Rand, n int, phi float64) []float64 {
	out := make([]float64, n)
	x := random.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range out {
		out[i] = x
		x = phi*x + random.NormFloat64()
	}
	return out
}

func TestDependence(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, phi := range []float64{0, 0.5, 0.9, -0.5} {
		want := (1 + phi) / (1 - phi)
		mean := 0.0
		for range 50 {
			mean += DependenceOf(process(random, 2000, phi)).Time / 50
		}
		if mean < 0.85*want || mean > 1.25*want {
			t.Errorf("φ = %v: τ is %v on average, want %v", phi, mean, want)
		}
	}
	constant := DependenceOf(make([]float64, 100))
	if constant.Time != 1 || constant.Degrees != 99 {
		t.Errorf("a constant series: %+v", constant)
	}
	if d := DependenceOf([]float64{1, 2}); d.Time != 1 {
		t.Errorf("two values: %+v", d)
	}
	trend := make([]float64, 500)
	for i := range trend {
		trend[i] = float64(i)
	}
	if d := DependenceOf(trend); d.Time < 100 || d.Time > 500 {
		t.Errorf("a trend is worth hardly more than one value, not τ = %v", d.Time)
	}
}

// The interval of batch means holds the truth about as often as it says, also of
// a correlated series, where independence would hold it in some 40 %.
func TestBatchMeansCover(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	held := 0
	const runs = 400
	for range runs {
		mean, half, batches, short := BatchMeans(process(random, 4000, 0.8), 0.95)
		if short || batches < fewBatches || batches > manyBatches {
			t.Fatalf("%d batches, short %v", batches, short)
		}
		if math.Abs(mean) <= half {
			held++
		}
	}
	if held < runs*91/100 || held > runs*98/100 {
		t.Errorf("the truth was inside in %d of %d", held, runs)
	}
	if _, _, batches, short := BatchMeans(process(random, 60, 0.95), 0.95); !short || batches != fewBatches {
		t.Errorf("60 values that are worth two: %d batches, short %v", batches, short)
	}
	if _, half, _, short := BatchMeans([]float64{1}, 0.95); !short || !math.IsInf(half, 1) {
		t.Errorf("one value: ± %v, short %v", half, short)
	}
}

// Moments at the ends of time lie in the first and the last group.
func TestInTimeOfAbsurdMoments(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	ends := []int64{math.MinInt64, 0, 1, 2, 3, 4, 5, 6, 7, math.MaxInt64}
	c := InTime(values, ends)
	for i := range values {
		if at := c.Group(i); at < 0 || at >= c.Groups {
			t.Errorf("the value at %d lies in group %d of %d", ends[i], at, c.Groups)
		}
	}
	if d := c.Dependence(func(v float64) float64 { return v }); math.IsNaN(d.Time) || d.Time < 1 {
		t.Errorf("%+v", d)
	}
	same := InTime(values, make([]float64, len(values)))
	if at := same.Group(9); at != 0 {
		t.Errorf("all at one moment: group %d", at)
	}
}

// A chain's intervals hold the truth about as often as they say, though its values resemble their neighbours.
func TestChainCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const runs = 300
	mean, median := 0, 0
	for range runs {
		c := InSequence(process(random, 2000, 0.7))
		if low, high, _, ok := c.Mean(0.95); ok && low <= 0 && 0 <= high {
			mean++
		}
		if low, high, _, ok := c.Quantile(0.5, 0.95); ok && low <= 0 && 0 <= high {
			median++
		}
	}
	if min(mean, median) < runs*90/100 || max(mean, median) > runs*99/100 {
		t.Errorf("of %d the mean was held in %d, the median in %d", runs, mean, median)
	}
	few := InSequence([]float64{1, 2, 3})
	if _, _, _, ok := few.Mean(0.95); ok {
		t.Error("an interval of the mean of three values")
	}
	if _, _, _, ok := few.Quantile(0.99, 0.95); ok {
		t.Error("an interval of the p99 of three values")
	}
}

func TestWelchDegrees(t *testing.T) {
	for _, tt := range []struct {
		variances, degrees []float64
		want               float64
	}{
		{[]float64{1, 1}, []float64{4, 4}, 8},
		{[]float64{1, 0}, []float64{4, 9}, 4},
		{[]float64{0, 0}, []float64{4, 9}, 4},
		{[]float64{1, 1}, []float64{math.Inf(1), 2}, 8},
	} {
		if got := WelchDegrees(tt.variances, tt.degrees); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v with %v: %v, want %v", tt.variances, tt.degrees, got, tt.want)
		}
	}
	if got := StudentTail(1.959964, math.Inf(1)); math.Abs(got-0.05) > 1e-6 {
		t.Errorf("the normal tail: %v", got)
	}
}
