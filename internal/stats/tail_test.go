package stats

import (
	"math"
	"testing"
)

// The tail undoes the quantile.
func TestStudentTail(t *testing.T) {
	for _, degrees := range []float64{1, 2, 5, 30} {
		for _, share := range []float64{0.5, 0.05, 0.001} {
			if got := StudentTail(StudentQuantile(1-share/2, degrees), degrees); math.Abs(got-share) > 1e-9 {
				t.Errorf("%g degrees: %g, want %g", degrees, got, share)
			}
		}
	}
	if got := StudentTail(0, 4); got != 1 {
		t.Errorf("at zero: %g", got)
	}
	if got := StudentTail(math.Inf(-1), 4); got != 0 {
		t.Errorf("at infinity: %g", got)
	}
}

// What is no number gives none, at once.
func TestNoNumber(t *testing.T) {
	for range 1000 {
		if got := StudentTail(math.NaN(), 4); !math.IsNaN(got) {
			t.Fatalf("the tail of no number is %g", got)
		}
		if got := StudentTail(1, math.NaN()); !math.IsNaN(got) {
			t.Fatalf("the tail with no number of degrees is %g", got)
		}
	}
}
