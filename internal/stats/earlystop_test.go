package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The least numbers of values are those that MLPerf names.
func TestEarlyStoppingFloors(t *testing.T) {
	for p, want := range map[float64]int{0.5: 11, 0.75: 24, 0.8: 31, 0.9: 64, 0.95: 130, 0.97: 219, 0.99: 662, 0.999: 6636} {
		if _, least := EarlyStopping(0, p); least != want {
			t.Errorf("p%g needs %d values, want %d", 100*p, least, want)
		}
		if rank, _ := EarlyStopping(want-1, p); rank != 0 {
			t.Errorf("p%g of %d values: rank %d, want none", 100*p, want-1, rank)
		}
		if rank, _ := EarlyStopping(want, p); rank != 1 {
			t.Errorf("p%g of %d values: rank %d, want the largest", 100*p, want, rank)
		}
	}
}

// LoadGen's own words: for t = 1, 2, … the fewest values below that go with t above, as long
// as both are no more than n.
func TestEarlyStoppingAsLoadGenLooksForIt(t *testing.T) {
	atMost := func(t, n int, p float64) (sum float64) { // P(Bin(n, 1−p) ≤ t), term by term
		for k := 0; k <= t; k++ {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(k + 1))
			c, _ := math.Lgamma(float64(n - k + 1))
			sum += math.Exp(a - b - c + float64(n-k)*math.Log(p) + float64(k)*math.Log1p(-p))
		}
		return sum
	}
	minPassing := func(t int, p float64) int {
		h := 1
		for atMost(t, h+t, p) >= 0.01 {
			h++
		}
		return h
	}
	for _, c := range []struct {
		n int
		p float64
	}{{11, 0.5}, {40, 0.5}, {200, 0.9}, {500, 0.9}, {662, 0.99}, {1000, 0.99}, {2000, 0.99}} {
		want := 0
		for i := 1; minPassing(i, c.p)+i <= c.n; i++ {
			want = i
		}
		if got, _ := EarlyStopping(c.n, c.p); got != want {
			t.Errorf("p%g of %d values: rank %d, want %d", 100*c.p, c.n, got, want)
		}
	}
}

// Of independent values the estimate lies at or above the true percentile in 99 of 100 runs.
func TestEarlyStoppingHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const runs, n, p = 4000, 1000, 0.99
	rank, _ := EarlyStopping(n, p)
	held := 0
	values := make([]float64, n)
	for range runs {
		for i := range values {
			values[i] = random.Float64()
		}
		slices.Sort(values)
		if values[n-rank] >= p {
			held++
		}
	}
	if share := float64(held) / runs; share < 0.985 {
		t.Errorf("the estimate holds in %.4f of the runs", share)
	}
}
