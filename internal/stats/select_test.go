package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrderPutsRanksWhereSortingWould: many values that are equal, sorted ones and
// saws are what selection is known to stumble over.
func TestOrderPutsRanksWhereSortingWould(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]func(i, n int) float64{
		"random":   func(int, int) float64 { return rnd.ExpFloat64() },
		"few":      func(int, int) float64 { return float64(rnd.IntN(3)) },
		"one":      func(int, int) float64 { return 7 },
		"sorted":   func(i, _ int) float64 { return float64(i) },
		"reversed": func(i, _ int) float64 { return float64(-i) },
		"saw":      func(i, _ int) float64 { return float64(i % 10) },
		"pipe":     func(i, n int) float64 { return float64(min(i, n-i)) },
	}
	for name, value := range shapes {
		for _, n := range []int{0, 1, 2, 31, 33, 100, 5000} {
			v := make([]float64, n)
			for i := range v {
				v[i] = value(i, n)
			}
			want := slices.Sorted(slices.Values(v))
			for _, ps := range [][]float64{nil, {50, 90, 99, 99.9}, {0, 100}, {33.3}} {
				ranks := ranksOf(n, ps)
				order(v, ranks)
				for _, r := range ranks {
					if v[r] != want[r] {
						t.Fatalf("%s, %d values: %v at rank %d, sorting has %v", name, n, v[r], r, want[r])
					}
				}
				for _, p := range ps {
					if got := Percentile(v, p); got != Percentile(want, p) {
						t.Errorf("%s, %d values: p%v is %v, of sorted ones %v", name, n, p, got, Percentile(want, p))
					}
				}
				if Median(v) != Median(want) {
					t.Errorf("%s, %d values: median", name, n)
				}
			}
			slices.Sort(v)
			if !slices.Equal(v, want) {
				t.Fatalf("%s, %d values: order lost some", name, n)
			}
		}
	}
}

// TestOrderEndsAfterBadSplits: a pivot can be bad at every step; then it sorts.
func TestOrderEndsAfterBadSplits(t *testing.T) {
	v := make([]float64, 1000)
	for i := range v {
		v[i] = float64(i * 7919 % 1000)
	}
	orderFrom(v, 0, []int{500}, 0)
	if !slices.IsSorted(v) {
		t.Error("with no splits left the values must be sorted")
	}
}

func BenchmarkOrder(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1<<18)
	for i := range values {
		values[i] = 0.01 + rnd.Float64()/1000
	}
	room := make([]float64, len(values))
	ranks := ranksOf(len(values), []float64{50, 90, 99, 99.9})
	b.Run("order", func(b *testing.B) {
		for b.Loop() {
			copy(room, values)
			order(room, ranks)
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			copy(room, values)
			slices.Sort(room)
		}
	})
}
