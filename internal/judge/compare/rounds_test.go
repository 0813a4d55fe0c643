package compare

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

func roundsOfRatios(ratios ...float64) rounds {
	var r rounds
	for _, v := range ratios {
		r.at = append(r.at, math.Log(v))
	}
	r.noise = make([]float64, len(r.at))
	return r
}

// Repeats without any spread: nothing is divided by zero.
func TestPairedWithoutSpread(t *testing.T) {
	opt := Options{}.withDefaults()
	if c := roundsOfRatios(1, 1, 1).change(look{0.01, 0.002}, opt); c.Call != Same || c.P != 1 {
		t.Errorf("%+v", c)
	}
	if c := roundsOfRatios(2, 2, 2).change(look{0.01, 0.002}, opt); c.Call != Real || c.P != 0 {
		t.Errorf("%+v", c)
	}
	if c := roundsOfRatios().change(look{0.01, 0.002}, opt); c != nil {
		t.Errorf("%+v", c)
	}
}

// One round of eight that something disturbed, on either side, takes nothing away: neither a true 20 % nor that
// two servers are the same.
func TestOneDisturbedRound(t *testing.T) {
	ab, err := NewAB(ABOptions{Metrics: []string{"mean_ttft"}, MinRounds: 3, MaxRounds: 20})
	if err != nil {
		t.Fatal(err)
	}
	calm := []float64{1.198, 1.203, 1.201, 1.199, 1.205, 1.196, 1.202}
	for _, outlier := range []float64{2.1, 0.7} {
		c := roundsOfRatios(append(calm, outlier)...).change(ab.looks, ab.opt.Options)
		if c.Call != Real || c.Low < 0.18 || c.High > 0.22 {
			t.Errorf("with a round of %g: %+v", outlier, c)
		}
		var same []float64
		for _, v := range calm {
			same = append(same, v/1.2)
		}
		if c := roundsOfRatios(append(same, outlier)...).change(ab.looks, ab.opt.Options); c.Call != Same {
			t.Errorf("the same, with a round of %g: %+v", outlier, c)
		}
	}
}

// What a run's numbers may be off by is noise: rounds that agree to a thousandth do not decide what their bounds leave
// open. What both runs may be off by alike is not.
func TestRoundsWithBounds(t *testing.T) {
	side := func(name string, bounds float64, values ...float64) Side {
		s := sideOf(name, values...)
		for i := range s.Runs {
			v := s.Runs[i].Values["mean_ttft_ms"]
			s.Runs[i].Bounds = map[string]result.Bounds{"mean_ttft_ms": {Low: v * (1 - bounds), High: v * (1 + bounds)}}
		}
		return s
	}
	for _, tt := range []struct {
		a, b float64
		want Call
	}{{0, 0, Real}, {0, 0.01, Real}, {0.2, 0.2, Real}, {0, 0.1, Unclear}, {0.99, 0.1, Unclear}, {0.99, 0.99, Real}} {
		ab, err := NewAB(ABOptions{Metrics: []string{"mean_ttft"}, MinRounds: 3, MaxRounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ab.Analyse(side("A", tt.a, 100, 100.1, 99.9, 100), side("B", tt.b, 110, 110.1, 109.9, 110))
		if err != nil {
			t.Fatal(err)
		}
		if c := l.Row("mean_ttft_ms").Cells[1].Change; c.Call != tt.want {
			t.Errorf("bounds of %g and %g: %+v", tt.a, tt.b, c)
		}
	}
}

// The star stands beside what is decided by the rounds, and nowhere else.
func TestStarOnlyWhereDecided(t *testing.T) {
	both := func(name string, ttft, tput []float64) Side {
		s := Side{Name: name}
		for i := range ttft {
			s.Runs = append(s.Runs, result.Result{Tool: result.Inferometer, Values: map[string]float64{"mean_ttft_ms": ttft[i], "output_throughput": tput[i]}})
		}
		return s
	}
	// TTFT: the means are far apart and the spread between rounds is small, unpaired; but one round says the opposite.
	a := both("A", []float64{100, 100, 100, 100}, []float64{50, 60, 70, 80})
	b := both("B", []float64{112, 113, 112, 94}, []float64{55, 66, 77, 88})
	for _, tt := range []struct {
		rounds int
		star   bool
	}{{2, false}, {4, true}} {
		ab, err := NewAB(ABOptions{Metrics: []string{"mean_ttft"}, MinRounds: 3, MaxRounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ab.Analyse(Side{"A", a.Runs[:tt.rounds]}, Side{"B", b.Runs[:tt.rounds]})
		if err != nil {
			t.Fatal(err)
		}
		stars := 0
		for _, row := range l.Rows {
			if row.Cells[0].Best || row.Cells[1].Best {
				stars++
				if row.Cells[1].Change.Call != Real {
					t.Errorf("a star on a row that is not decided: %+v", row)
				}
			}
		}
		if (stars == 1) != tt.star {
			t.Errorf("%d rounds: %d stars: %+v", tt.rounds, stars, l.Rows)
		}
	}
}
