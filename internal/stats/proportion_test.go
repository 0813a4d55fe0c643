package stats

import (
	"math"
	"testing"
)

// The values are published: Newcombe (1998), Statistics in Medicine 17, table I, method 3
// (score), and Brown, Cai and DasGupta (2001) for none and all of n.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, of int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1},
		{0, 0, 0, 1},
	} {
		low, high := Wilson(c.right, c.of, 0.95)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, published %.4f to %.4f", c.right, c.of, low, high, c.low, c.high)
		}
	}
}

func TestTailsAreBinomial(t *testing.T) {
	for _, n := range []int{1, 10, 500, 2000, 2001, 20_000} {
		chances := make([]float64, n)
		for i := range chances {
			chances[i] = 0.1
		}
		for _, k := range []int{0, n / 12, n / 10, n/10 + 1, n / 9, n / 7, n} {
			atMost, atLeast := Tails(chances, k)
			wantMost, wantLeast := binomialCDF(k, n, 0.1), 1-binomialCDF(k-1, n, 0.1)
			if math.Abs(atMost-wantMost) > 2e-4 || math.Abs(atLeast-wantLeast) > 2e-4 {
				t.Errorf("%d of %d: %v and %v, not %v and %v", k, n, atMost, atLeast, wantMost, wantLeast)
			}
		}
	}
}

// Trials whose chances differ: by hand of three, and the two ways against each other.
func TestTailsOfUnequalTrials(t *testing.T) {
	atMost, atLeast := Tails([]float64{0.5, 0.25, 0.1}, 1)
	if none := 0.5 * 0.75 * 0.9; math.Abs(atLeast-(1-none)) > 1e-12 {
		t.Errorf("at least one: %v", atLeast)
	}
	if more := 0.5*0.25*0.9 + 0.5*0.75*0.1 + 0.5*0.25*0.1 + 0.5*0.25*0.1; math.Abs(atMost-(1-more)) > 1e-12 {
		t.Errorf("at most one: %v, not %v", atMost, 1-more)
	}
	var chances []float64
	for i := range exactTrials {
		chances = append(chances, 1/float64(3+i%8))
	}
	for k := 250; k < 450; k += 10 {
		exact, _ := Tails(chances, k)
		if near := refinedNormal(chances, float64(k)+0.5); math.Abs(exact-near) > 1e-4 {
			t.Errorf("at most %d: %v, and by the normal distribution %v", k, exact, near)
		}
	}
	if a, b := Tails(nil, 0); a != 1 || b != 1 {
		t.Errorf("no trials: %v %v", a, b)
	}
	if a, b := Tails(chances, -1); a != 0 || b != 1 {
		t.Errorf("fewer than none: %v %v", a, b)
	}
}
