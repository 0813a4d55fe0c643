package history

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// noisy are n values around 100 with lognormal noise, times what factor says.
func noisy(r *rand.Rand, n int, noise float64, factor func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 100 * factor(i) * math.Exp(noise*r.NormFloat64())
	}
	return out
}

func steady(int) float64 { return 1 }

// from is a step of some size at a place.
func from(at int, size float64) func(int) float64 {
	return func(i int) float64 {
		if i >= at {
			return 1 + size
		}
		return 1
	}
}

func places(changes []Change) []int {
	var out []int
	for _, c := range changes {
		out = append(out, c.At)
	}
	return out
}

func TestFalseAlarms(t *testing.T) {
	heavy := func(r *rand.Rand, n int) []float64 { // one run in ten is a freak
		return noisy(r, n, 0.03, func(int) float64 {
			if r.Float64() < 0.1 {
				return 1.5
			}
			return 1
		})
	}
	normal := func(r *rand.Rand, n int) []float64 { return noisy(r, n, 0.03, steady) }
	for _, test := range []struct {
		name string
		make func(*rand.Rand, int) []float64
		n    int
	}{{"6 runs", normal, 6}, {"10 runs", normal, 10}, {"20 runs", normal, 20}, {"50 runs", normal, 50}, {"20 runs with freaks", heavy, 20}, {"50 runs with freaks", heavy, 50}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, alarms, series := rand.New(rand.NewPCG(7, uint64(test.n))), 0, 1000
			for range series {
				if len(Changes(test.make(r, test.n))) > 0 {
					alarms++
				}
			}
			t.Logf("%s: %d of %d series without a change have an alarm", test.name, alarms, series)
			if alarms > series*5/100 {
				t.Error("more than 5 % are false alarms")
			}
		})
	}
}

// A step of 10 % in noise of 3 %, with five runs or more before it and after it.
func TestStepsAreFound(t *testing.T) {
	for _, test := range []struct{ before, after, least int }{{5, 5, 75}, {5, 8, 88}, {6, 6, 85}, {8, 8, 92}, {10, 10, 92}, {30, 5, 92}} {
		for _, size := range []float64{0.10, -0.10} {
			r, near, found, series := rand.New(rand.NewPCG(3, uint64(100*test.before+test.after))), 0, 0, 200
			for range series {
				changes := Changes(noisy(r, test.before+test.after, 0.03, from(test.before, size)))
				if len(changes) > 0 {
					found++
				}
				if slices.ContainsFunc(changes, func(c Change) bool { return c.At >= test.before-1 && c.At <= test.before+1 }) {
					near++
				}
			}
			t.Logf("%d runs, %+.0f %%, %d runs: found in %.1f %% of series, within one run in %.1f %%", test.before, 100*size, test.after, 100*float64(found)/float64(series), 100*float64(near)/float64(series))
			if near*100 < test.least*series {
				t.Errorf("less than %d %% are within one run of the truth", test.least)
			}
		}
	}
}

func TestShapesOfChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, test := range []struct {
		name   string
		values []float64
		want   []int
	}{
		{"none", nil, nil},
		{"too few", []float64{1, 1, 2, 2, 2}, nil},
		{"seven are too few", []float64{5, 5, 5, 6, 6, 6, 6}, nil},
		{"nine are enough", []float64{5, 5, 5, 5, 6, 6, 6, 6, 6}, []int{4}},
		{"all equal", slices.Repeat([]float64{5}, 12), nil},
		{"one freak", append(slices.Repeat([]float64{5, 5.1}, 6), 9), nil},
		{"a clean step", append(slices.Repeat([]float64{5}, 5), slices.Repeat([]float64{6}, 5)...), []int{5}},
		{"values that are none are left out", append(append(slices.Repeat([]float64{5}, 5), 0, math.NaN()), slices.Repeat([]float64{6}, 5)...), []int{7}},
		{"a regression and its mending", noisy(r, 50, 0.02, func(i int) float64 { return from(20, 0.1)(i) / from(30, 0.1)(i) }), []int{20, 30}},
		{"two steps up", noisy(r, 45, 0.02, func(i int) float64 { return from(15, 0.1)(i) * from(30, 0.1)(i) }), []int{15, 30}},
		{"the newest 200 only", append(slices.Repeat([]float64{5}, 100), slices.Repeat([]float64{6}, 250)...), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := places(Changes(test.values))
			if len(got) != len(test.want) {
				t.Fatalf("changes at %v, want %v", got, test.want)
			}
			for i := range got {
				if d := got[i] - test.want[i]; d < -1 || d > 1 {
					t.Errorf("changes at %v, want %v", got, test.want)
				}
			}
			if again := places(Changes(test.values)); !slices.Equal(got, again) {
				t.Errorf("a second look gives %v, the first gave %v", again, got)
			}
		})
	}
}

// The interval of a change holds the true one in most series. It is a little narrow:
// the place was chosen because the difference is large there.
func TestIntervalOfAChange(t *testing.T) {
	r, holds, found := rand.New(rand.NewPCG(5, 5)), 0, 0
	for range 250 {
		for _, c := range Changes(noisy(r, 24, 0.03, from(12, 0.1))) {
			if c.At < 11 || c.At > 13 {
				continue
			}
			found++
			if c.Low <= 0.1 && c.High >= 0.1 {
				holds++
			}
			if c.Low > c.Ratio || c.High < c.Ratio || math.Abs(c.After/c.Before-1-c.Ratio) > 1e-9 {
				t.Fatalf("the change contradicts itself: %+v", c)
			}
		}
	}
	share := float64(holds) / float64(found)
	t.Logf("%d of %d intervals hold the true change", holds, found)
	if found < 200 || share < 0.9 {
		t.Errorf("%.1f %% of %d intervals hold the true change, want 90 %% or more", 100*share, found)
	}
}
