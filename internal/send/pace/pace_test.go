package pace

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/option"
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

// said is the spec that options ask for, given as keys and texts.
func said(t testing.TB, concurrent bool, pairs ...string) Spec {
	t.Helper()
	d := NewDraft()
	for i := 0; i < len(pairs); i += 2 {
		if err := d.Set(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	k, own, err := d.Choose(concurrent)
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Name: k.Name, Own: own}
}

// bounded is s with its bounds.
func bounded(s Spec, n int, length time.Duration) Spec {
	s.N, s.Duration = n, length
	return s
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
		{"burst", bounded(said(t, false), 3, 0), ms(0, 0, 0)},
		{"closed", bounded(said(t, true), 2, 0), ms(0, 0)},
		{"constant", bounded(said(t, false, "rate", "10", "burstiness", "inf"), 3, 0), ms(100, 200, 300)},
		{"constant by time", bounded(said(t, false, "rate", "4", "burstiness", "inf"), 0, time.Second), ms(250, 500, 750, 1000)},
		{"gamma, even", Spec{Name: Gamma, Own: &GammaOptions{RateOptions{10}, SpreadOptions{inf}}, N: 2}, ms(100, 200)},
		{"stages", said(t, false, "stages", "1s@2,1s@4", "burstiness", "inf"), ms(500, 1000, 1250, 1500, 1750, 2000)},
		{"a silent stage", said(t, false, "stages", "1s@1,1s@0,1s@1", "burstiness", "inf"), ms(1000, 3000)},
		// 0 to 4 per second over two seconds: t*t requests by time t.
		{"ramp in time", said(t, false, "ramp_rate", "0..4", "ramp_duration", "2s", "burstiness", "inf"), ms(1000, 1414, 1732, 2000)},
		{"ramp down", said(t, false, "ramp_rate", "4..0", "ramp_duration", "2s", "burstiness", "inf"), ms(268, 586, 1000, 2000)},
		{"trace, as given", said(t, false, "times", "[0.5, 0.25, 1]"), ms(500, 250, 1000)},
		{"trace, cut by n", bounded(said(t, false, "times", "[0.5, 0.75, 1]"), 2, 0), ms(500, 750)},
		{"trace, cut by time", bounded(said(t, false, "times", "[0.5, 2, 1]"), 0, time.Second), ms(500)},
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
		spec := bounded(said(t, false, "rate", "20", "burstiness", option.FormatFloat(burstiness)), 500, 0)
		spec.Seed = 3
		due := all(t, must(t, spec), 1000)
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
			for _, d := range all(t, must(t, Spec{Name: Staged, Own: &StagesOptions{stages, SpreadOptions{burstiness}}, Seed: seed}), 2000) {
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
	p := must(t, bounded(said(t, false, "ramp_up_strategy", RampLinear, "ramp_up_start_rps", "1", "ramp_up_end_rps", "9"), 5, time.Hour))
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
	if _, ok := AsRamp(must(t, bounded(said(t, false, "rate", "1"), 1, 0))); ok {
		t.Error("a constant rate says that it is a ramp")
	}
}

func TestClosedLoopIsKnownThroughItsBounds(t *testing.T) {
	p := must(t, bounded(said(t, true), 2, time.Minute))
	if !DueWhenFree(p) {
		t.Error("a closed loop is not known as one")
	}
	if Length(p) != time.Minute {
		t.Errorf("length %v, want 1m", Length(p))
	}
	if DueWhenFree(must(t, bounded(said(t, false), 2, 0))) {
		t.Error("all at once is taken for a closed loop")
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		said       string
		concurrent bool
		want       string // a name, or an error
	}{
		{"", false, Burst},
		{"", true, Closed},
		{"burstiness=0.5", true, Closed},
		{"rate=5", true, Poisson},
		{"rate=5 burstiness=0.5", false, Gamma},
		{"rate=5 burstiness=inf", false, Constant},
		{"ramp_up_strategy=linear ramp_up_start_rps=1 ramp_up_end_rps=2", false, Ramping},
		{"ramp_rate=1..5 ramp_duration=1s", false, RampTime},
		{"stages=1s@5", true, Staged},
		{"times=[0]", false, Traced},
		{"rate=0", false, "rate must be above 0, not 0"},
		{"burstiness=0", true, "burstiness must be above 0, not 0"},
		{"rate=5 stages=1s@5", false, "stages can't be used together with rate: both say when requests are sent"},
		{"ramp_up_strategy=linear ramp_rate=1..2", false, "ramp_rate can't be used together with ramp_up_strategy: both say when requests are sent"},
		{"ramp_up_start_rps=5", false, "ramp_up_start_rps needs ramp_up_strategy; linear or exponential"},
		{"ramp_duration=5s", false, "ramp_duration needs ramp_rate"},
		{"ramp_up_strategy=steep", false, `ramp_up_strategy must be one of linear, exponential, not "steep"`},
		{"ramp_rate=5", false, `ramp_rate needs two rates such as 5..50, not "5"`},
		{"ramp_rate=0..0", false, `ramp_rate needs rates of 0 or more, not both 0, and not "0..0"`},
	} {
		got, err := "", error(nil)
		d := NewDraft()
		for pair := range strings.FieldsSeq(c.said) {
			key, text, _ := strings.Cut(pair, "=")
			err = errors.Join(err, d.Set(key, text))
		}
		if err == nil {
			var k *Kind
			if k, _, err = d.Choose(c.concurrent); err == nil {
				got = k.Name
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.said, got, c.want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	number := func(n int) *int { return &n }
	ramp := func(start, end int) any {
		return &RampOptions{RampLinear, number(start), number(end), SpreadOptions{1}}
	}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Name: "often"}, "use one of closed, burst"},
		{Spec{Name: Poisson, Own: &RateOptions{0}}, "rate must be above 0, not 0"},
		{Spec{Name: Gamma, Own: &GammaOptions{RateOptions{1}, SpreadOptions{0}}}, "burstiness must be above 0, not 0"},
		{Spec{Name: Gamma, Own: &GammaOptions{RateOptions{1}, SpreadOptions{math.NaN()}}}, "burstiness must be above 0, not NaN"},
		{Spec{Name: Poisson}, "rate must be finite, not inf"},
		{Spec{Name: Poisson, Own: &GammaOptions{RateOptions{1}, SpreadOptions{1}}}, "its options are *pace.GammaOptions"},
		{Spec{Name: Ramping, Own: &RampOptions{}, N: 2}, "burstiness must be above 0"},
		{Spec{Name: Ramping, N: 2}, "linear or exponential"},
		{Spec{Name: Ramping, Own: &RampOptions{Strategy: RampLinear, SpreadOptions: SpreadOptions{1}}, N: 2}, "needs ramp_up_start_rps and ramp_up_end_rps"},
		{Spec{Name: Ramping, Own: ramp(1, 2)}, "goes by the number of requests"},
		{Spec{Name: Ramping, Own: ramp(0, 2), N: 2}, "ramp_up_start_rps must be above 0"},
		{Spec{Name: Ramping, Own: ramp(3, 2), N: 2}, "must not be above ramp_up_end_rps, as 3 is above 2"},
		{Spec{Name: Ramping, Own: ramp(-3, 2), N: 2}, "negative"},
		{Spec{Name: RampTime}, "ramp_rate and ramp_duration go together"},
		{Spec{Name: Staged}, "stages is needed"},
		{Spec{Name: Staged, Own: &StagesOptions{Stages{{0, 1, 1}}, SpreadOptions{1}}}, "length must be above 0"},
		{Spec{Name: Traced, Own: &TraceOptions{Times{0, -1}}}, "time 1 is -1"},
	} {
		if _, err := New(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.spec, err, c.want)
		}
	}
}

// What a process is chosen by is one of its options, and all of them survive JSON.
func TestKinds(t *testing.T) {
	for _, k := range Kinds() {
		if _, ok := option.Find(k.Options(), k.By); k.By != "" && !ok {
			t.Errorf("%s has no option %s", k.Name, k.By)
		}
		if k.Doc == "" {
			t.Errorf("%s does not say what it is", k.Name)
		}
	}
	before := said(t, false, "ramp_rate", "0..4.5", "ramp_duration", "90s", "burstiness", "inf")
	var got []string
	for _, f := range option.Fields(before.Own) {
		raw, err := f.JSON(before.Own)
		if err != nil {
			t.Error(err)
		}
		got = append(got, f.Key+":"+string(raw))
	}
	if want := []string{`ramp_rate:"0..4.5"`, `ramp_duration:"1m30s"`, `burstiness:"inf"`}; !slices.Equal(got, want) {
		t.Errorf("%s; want %s", got, want)
	}
	more := kinds.With(NewKind(Kind{Name: "mine"}, func(Spec, *struct{}) (Pace, error) { return closedLoop{}, nil }))
	if _, err := more.Find("mine"); err != nil {
		t.Error(err)
	}
	if _, err := Find("mine"); err == nil {
		t.Error("it is in the table of all")
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
		for _, d := range all(t, must(t, Spec{Name: Staged, Own: &StagesOptions{stages, SpreadOptions{1}}}), 100) {
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
		if _, err := New(bounded(said(b, false, "rate", "1000"), 100_000, 0)); err != nil {
			b.Fatal(err)
		}
	}
}
