package job

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// The example of Kaplan and Meier's own kind: two of the six were cut off.
func TestSurvival(t *testing.T) {
	s := NewSurvival([]Seen{{6, true}, {3, true}, {3, false}, {9, false}, {1, true}, {8, true}})
	// 1: 5/6; 3: 5/6·4/5 = 2/3; 6: 2/3·2/3 = 4/9; 8: 4/9·1/2 = 2/9; 9 was cut off.
	for p, want := range map[float64]float64{10: 1, 100.0 / 6: 1, 20: 3, 33: 3, 50: 6, 60: 8, 77: 8, 78: math.NaN(), 99: math.NaN()} {
		if got := s.Percentile(p); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("p%g is %v, want %v", p, got, want)
		}
	}
	if v := NewSurvival(nil).Percentile(50); !math.IsNaN(v) {
		t.Errorf("of none: %v", v)
	}
	if v := NewSurvival([]Seen{{5, false}}).Percentile(50); !math.IsNaN(v) {
		t.Errorf("of one that was cut off: %v", v)
	}
	if v := NewSurvival([]Seen{{5, true}, {7, true}}).Percentile(50); v != 5 {
		t.Errorf("of two: %v", v)
	}
}

// TestSurvivalOfLanes: lanes that play one job after another until the run ends cut long jobs off more often. The median of the
// done ones is too low by a quarter or more, and that of all by Kaplan and Meier is right.
func TestSurvivalOfLanes(t *testing.T) {
	r := testfiles.Random(t)
	const runs, lanes, end = 400, 40, 100.0
	truth := 40 * math.Ln2 // the median of an exponential time
	var naive, mean float64
	for range runs {
		var seen []Seen
		var done []float64
		for range lanes {
			for at := 0.0; at < end; {
				took := r.ExpFloat64() * 40
				if at+took <= end {
					done = append(done, took)
					seen = append(seen, Seen{took, true})
				} else {
					seen = append(seen, Seen{end - at, false})
				}
				at += took
			}
		}
		naive += medianOf(done) / runs
		mean += NewSurvival(seen).Percentile(50) / runs
	}
	t.Logf("truth %.2f, done ones alone %.2f, by Kaplan and Meier %.2f", truth, naive, mean)
	if math.Abs(mean/truth-1) > 0.03 {
		t.Errorf("the median is %.2f, and the truth %.2f", mean, truth)
	}
	if naive/truth > 0.85 {
		t.Errorf("the done ones alone have %.2f of %.2f: this shows nothing", naive, truth)
	}
}

func medianOf(values []float64) float64 {
	seen := make([]Seen, len(values))
	for i, v := range values {
		seen[i] = Seen{v, true}
	}
	return NewSurvival(seen).Percentile(50)
}
