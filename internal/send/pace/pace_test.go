package pace

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// all takes at most limit due times.
func all(t *testing.T, p Pace, limit int) []time.Duration {
	t.Helper()
	var due []time.Duration
	for range limit {
		d, ok := p.Next()
		if !ok {
			return due
		}
		due = append(due, d)
	}
	return due
}

func must(t *testing.T, s Spec) Pace {
	t.Helper()
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ms(v ...int) []time.Duration {
	out := make([]time.Duration, len(v))
	for i := range v {
		out[i] = time.Duration(v[i]) * time.Millisecond
	}
	return out
}

func TestDueTimes(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		spec Spec
		want []time.Duration
	}{
		{"burst", Spec{Rate: inf, N: 3}, ms(0, 0, 0)},
		{"closed", Spec{Rate: inf, Concurrent: true, N: 2}, ms(0, 0)},
		{"constant", Spec{Rate: 10, Burstiness: inf, N: 3}, ms(100, 200, 300)},
		{"constant by time", Spec{Rate: 4, Burstiness: inf, Duration: time.Second}, ms(250, 500, 750, 1000)},
		{"gamma, even", Spec{Name: Gamma, Rate: 10, Burstiness: inf, N: 2}, ms(100, 200)},
		{"stages", Spec{Stages: []Stage{{time.Second, 2, 2}, {time.Second, 4, 4}}, Burstiness: inf}, ms(500, 1000, 1250, 1500, 1750, 2000)},
		{"a silent stage", Spec{Stages: []Stage{{time.Second, 1, 1}, {time.Second, 0, 0}, {time.Second, 1, 1}}, Burstiness: inf}, ms(1000, 3000)},
		// 0 to 4 per second over two seconds: t*t requests by time t.
		{"ramp in time", Spec{RampOver: 2 * time.Second, RampStart: 0, RampEnd: 4, Burstiness: inf}, ms(1000, 1414, 1732, 2000)},
		{"ramp down", Spec{RampOver: 2 * time.Second, RampStart: 4, RampEnd: 0, Burstiness: inf}, ms(268, 586, 1000, 2000)},
		{"trace, as given", Spec{Trace: []float64{0.5, 0.25, 1}}, ms(500, 250, 1000)},
		{"trace, cut by n", Spec{Trace: []float64{0.5, 0.75, 1}, N: 2}, ms(500, 750)},
		{"trace, cut by time", Spec{Trace: []float64{0.5, 2, 1}, Duration: time.Second}, ms(500)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := all(t, must(t, c.spec), 100)
			if len(got) > 0 && strings.HasPrefix(c.name, "ramp") {
				for i := range got {
					got[i] = got[i].Round(time.Millisecond)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestTheLastArrivalFallsAtNOverRate(t *testing.T) {
	for _, burstiness := range []float64{0.2, 1, 5, math.Inf(1)} {
		due := all(t, must(t, Spec{N: 500, Rate: 20, Burstiness: burstiness, Seed: 3}), 1000)
		if len(due) != 500 || due[499] != 25*time.Second {
			t.Errorf("burstiness %v: %d arrivals, the last at %v, want 500 and 25s", burstiness, len(due), due[len(due)-1])
		}
		if !slices.IsSorted(due) {
			t.Errorf("burstiness %v: times step back", burstiness)
		}
	}
}

// Over many seeds the stages must have the number of requests that their rates
// say, each stage for itself, whatever the burstiness.
func TestStagesKeepTheirRates(t *testing.T) {
	stages, err := ParseStages("10s@5,10s@40,10s@5-45")
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{50, 400, 250}
	for _, burstiness := range []float64{0.5, 1, 4} {
		const seeds = 60
		count := make([]float64, len(want))
		for seed := range uint64(seeds) {
			for _, d := range all(t, must(t, Spec{Stages: stages, Burstiness: burstiness, Seed: seed}), 2000) {
				count[min(int(d/(10*time.Second)), 2)]++
			}
		}
		for i, c := range count {
			mean := c / seeds
			// Four standard errors of a renewal process of this burstiness.
			tolerance := 4 * math.Sqrt(want[i]/burstiness/seeds)
			if math.Abs(mean-want[i]) > tolerance+0.5/burstiness {
				t.Errorf("burstiness %v, stage %d: %.1f requests on average, want %v within %.1f", burstiness, i, mean, want[i], tolerance)
			}
		}
	}
}

func TestRampReportsTheRatesItReaches(t *testing.T) {
	p := must(t, Spec{N: 5, RampStrategy: RampLinear, RampStart: 1, RampEnd: 9, Burstiness: 1, Duration: time.Hour})
	r, ok := AsRamp(p)
	if !ok {
		t.Fatal("not a ramp")
	}
	if r.StartRate() != 1 {
		t.Errorf("start rate %d, want 1", r.StartRate())
	}
	want := [][]int{{}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}
	for i, w := range want {
		if _, ok := p.Next(); !ok {
			t.Fatalf("ended at request %d", i)
		}
		if !slices.Equal(r.Reached(), w) {
			t.Errorf("request %d reached %v, want %v", i, r.Reached(), w)
		}
	}
	if _, ok := AsRamp(must(t, Spec{Rate: 1, Burstiness: 1, N: 1})); ok {
		t.Error("a constant rate says that it is a ramp")
	}
}

func TestClosedLoopIsKnownThroughItsBounds(t *testing.T) {
	inf := math.Inf(1)
	p := must(t, Spec{Rate: inf, Concurrent: true, N: 2, Duration: time.Minute})
	if !DueWhenFree(p) {
		t.Error("a closed loop is not known as one")
	}
	if Length(p) != time.Minute {
		t.Errorf("length %v, want 1m", Length(p))
	}
	if DueWhenFree(must(t, Spec{Rate: inf, N: 2})) {
		t.Error("all at once is taken for a closed loop")
	}
}

func TestChoose(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Rate: inf, Burstiness: 1}, Burst},
		{Spec{Rate: inf, Burstiness: 1, Concurrent: true}, Closed},
		{Spec{Rate: 5, Burstiness: 1, Concurrent: true}, Poisson},
		{Spec{Rate: 5, Burstiness: 0.5}, Gamma},
		{Spec{Rate: 5, Burstiness: inf}, Constant},
		{Spec{RampStrategy: RampLinear, Burstiness: 1}, Ramping},
		{Spec{RampOver: 1, Burstiness: 1}, RampTime},
		{Spec{Stages: []Stage{{}}, Burstiness: 1}, Staged},
		{Spec{Trace: []float64{0}}, Traced},
	} {
		if got := c.spec.Choose(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.spec, got, c.want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Name: "often"}, "use one of closed, burst"},
		{Spec{Rate: 0, Burstiness: 1}, "request rate of 0"},
		{Spec{Rate: 1, Burstiness: 0}, "burstiness of 0"},
		{Spec{Rate: 1, Burstiness: math.NaN()}, "burstiness of NaN"},
		{Spec{Name: Poisson, Rate: math.Inf(1)}, "finite"},
		{Spec{RampStrategy: "steep", Burstiness: 1, N: 2}, "use linear or exponential"},
		{Spec{RampStrategy: RampLinear, RampStart: 1, RampEnd: 2, Burstiness: 1}, "number of requests"},
		{Spec{RampStrategy: RampLinear, RampStart: 0, RampEnd: 2, Burstiness: 1, N: 2}, "start above 0"},
		{Spec{RampStrategy: RampLinear, RampStart: 3, RampEnd: 2, Burstiness: 1, N: 2}, "above the end"},
		{Spec{RampStrategy: RampLinear, RampStart: -3, RampEnd: 2, Burstiness: 1, N: 2}, "negative"},
		{Spec{Name: Staged, Burstiness: 1}, "no stages"},
		{Spec{Stages: []Stage{{0, 1, 1}}, Burstiness: 1}, "length must be above 0"},
		{Spec{Trace: []float64{0, -1}}, "time 1 is -1"},
	} {
		if _, err := New(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.spec, err, c.want)
		}
	}
}

func TestParseStages(t *testing.T) {
	got, err := ParseStages("10s@5, 1m@5-50.5,500ms@0")
	want := []Stage{{10 * time.Second, 5, 5}, {time.Minute, 5, 50.5}, {500 * time.Millisecond, 0, 0}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "10s", "10@5", "10s@", "10s@x", "10s@-1", "10s@1-", "-1s@5", "10s@inf", "10s@NaN", "10s@5,,"} {
		if got, err := ParseStages(bad); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

func FuzzParseStages(f *testing.F) {
	f.Add("10s@5,60s@50,10s@5")
	f.Add("1m@1-100")
	f.Fuzz(func(t *testing.T, text string) {
		stages, err := ParseStages(text)
		if err != nil {
			return
		}
		parts := make([]string, len(stages))
		for i, s := range stages {
			parts[i] = s.String()
		}
		again, err := ParseStages(strings.Join(parts, ","))
		if err != nil || !slices.Equal(again, stages) {
			t.Fatalf("%q was read as %v, and that as %v (%v)", text, stages, again, err)
		}
		due := time.Duration(0)
		for _, d := range all(t, must(t, Spec{Stages: stages, Burstiness: 1}), 100) {
			if d < due {
				t.Fatalf("%q: time steps back from %v to %v", text, due, d)
			}
			due = d
		}
	})
}

func TestDurationStopsAtItsLimit(t *testing.T) {
	for s, want := range map[float64]time.Duration{
		1.5:         1500 * time.Millisecond,
		1e-9:        1,
		1.6e-9:      2,
		1e12:        math.MaxInt64,
		math.Inf(1): math.MaxInt64,
	} {
		if got := duration(s); got != want {
			t.Errorf("%v s: %d, want %d", s, got, want)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() { // the first of the two passes over the gaps
		if _, err := New(Spec{N: 100_000, Rate: 1000, Burstiness: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
