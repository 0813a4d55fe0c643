package sample

import (
	"math"
	"testing"
)

// The estimate is the t-th largest value, also of a histogram, within its error.
func TestEarlyStopping(t *testing.T) {
	exact, folded := New(10_000), New(100)
	for i := range 1000 {
		exact.Add(float64(i+1) / 1000)
		folded.Add(float64(i+1) / 1000)
	}
	exact.Stats(nil)
	folded.Stats(nil)
	for _, c := range []struct {
		p           float64
		rank, least int
	}{{50, 462, 11}, {90, 78, 64}, {95, 34, 130}, {99, 2, 662}, {99.9, 0, 6636}} {
		for name, s := range map[string]*Sample{"exact": exact, "a histogram": folded} {
			e := s.EarlyStopping(c.p)
			if e.Rank != c.rank || e.MinQueries != c.least || e.N != 1000 || (e.Estimate == nil) != (c.rank == 0) {
				t.Errorf("%s, p%g: %+v", name, c.p, e)
				continue
			}
			if e.Estimate == nil {
				continue
			}
			want := float64(1000 - c.rank + 1)
			if (e.Error > 0) != (name != "exact") || math.Abs(*e.Estimate-want) > e.Error*want+1e-9 {
				t.Errorf("%s, p%g: %g, want %g within %g", name, c.p, *e.Estimate, want, e.Error)
			}
		}
	}
	for _, p := range []float64{25, 100, 99.99999999999} {
		if e := exact.EarlyStopping(p); e != nil {
			t.Errorf("p%g: %+v, want none", p, e)
		}
	}
	if e := New(10).EarlyStopping(99); e == nil || e.Estimate != nil || e.MinQueries != 662 {
		t.Errorf("no values: %+v", e)
	}
}
