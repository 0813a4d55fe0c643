package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	intervals "github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// server is a made-up one: the use of its limit at a load, and how noisy a probe of
// a second is. A probe's noise falls with the square root of its length.
type server struct {
	use   func(x float64) float64
	noise float64
	seed  uint64
}

// probe measures it; more than three times the limit is left early.
func (s *server) probe(random *rand.Rand, p Probe) Observation {
	sd := s.noise / math.Sqrt(p.Seconds)
	use := s.use(p.X) * math.Exp(sd*random.NormFloat64())
	o := Observation{X: p.X, Seconds: p.Seconds, Cost: p.Seconds, Purpose: p.Purpose, Numbers: Numbers{Sent: 100, Requests: 100, Throughput: p.X}}
	o.Clauses = []ClauseUse{{Clause: "p99_ttft<=1s", Use: &use, Low: new(use * math.Exp(-1.96*sd)), High: new(use * math.Exp(1.96*sd))}}
	if use > 3 {
		o.GaveUp, o.Cost = "too slow", p.Seconds/4
	}
	return o
}

// queue is the use of a limit that is so many times the latency of an idle server
// with this capacity.
func queue(capacity, times float64) func(float64) float64 {
	return func(x float64) float64 {
		if x >= capacity {
			return 1e6
		}
		return 1 / (1 - x/capacity) / times
	}
}

func run(t *testing.T, cfg Config, s *server) (Answer, []Observation) {
	t.Helper()
	search, random := New(cfg), rand.New(rand.NewPCG(s.seed, 1))
	for {
		p, ok := search.Next()
		if !ok {
			return search.Answer(), search.Seen()
		}
		if p.Seconds <= 0 || p.X < search.least() || p.X > search.most() || cfg.Integer && p.X != math.Round(p.X) {
			t.Fatalf("asked for %+v", p)
		}
		search.Observed(s.probe(random, p))
	}
}

func config(integer bool) Config {
	return Config{From: 1, Lower: true, Integer: integer, Tolerance: 0.05, Short: 10, Long: 60, Enough: 250, Budget: 1200}
}

// Of a hundred noisy servers nearly all edges are found to 5 %, in the time of some
// seven confirming runs, and their intervals hold the truth.
func TestFindsTheEdge(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	hits, inside, spent := 0, 0, 0.0
	const runs = 100
	for i := range runs {
		capacity, times := 5*math.Pow(60, random.Float64()), 2+6*random.Float64()
		integer := i%2 == 0
		if integer {
			capacity = max(capacity, 40)
		}
		truth := capacity * (1 - 1/times)
		a, _ := run(t, config(integer), &server{queue(capacity, times), 0.4, uint64(i)})
		spent += a.Spent
		if a.X == nil || !a.Confirmed {
			t.Logf("%d: %+v", i, a)
			continue
		}
		best := truth
		if integer {
			best = math.Floor(truth)
		}
		if math.Abs(*a.X/best-1) <= 0.05 {
			hits++
		} else {
			t.Logf("%d: found %v of %v, %d probes", i, *a.X, truth, a.Probes)
		}
		if a.High != nil && *a.Low <= truth && truth <= *a.High {
			inside++
		}
	}
	t.Logf("%d hits, %d inside, %.0f s each", hits, inside, spent/runs)
	if hits < 93 || inside < 86 || spent/runs > 7*60 {
		t.Errorf("%d of %d within 5 %%, %d intervals hold the truth, %.0f s each", hits, runs, inside, spent/runs)
	}
}

func TestSearchAtItsBounds(t *testing.T) {
	cliff := func(at float64) func(float64) float64 { // no warning before it
		return func(x float64) float64 {
			if x > at {
				return 100
			}
			return 0
		}
	}
	for _, tt := range []struct {
		name     string
		cfg      Config
		use      func(float64) float64
		low, top float64 // of the answer; 0: none
	}{
		{"a cliff", config(false), cliff(37), 35.5, 37},
		{"a cliff of a concurrency", config(true), cliff(37.5), 37, 37},
		{"one at a time", config(true), cliff(1.5), 1, 1},
		{"below the first", config(false), cliff(0.2), 0.18, 0.2},
		{"below a given first", Config{From: 1, Tolerance: 0.05, Short: 10, Long: 60, Budget: 1200}, cliff(0.2), 0, 0},
		{"nothing holds", config(true), cliff(0), 0, 0},
		{"all of a range holds", Config{From: 1, To: 20, Tolerance: 0.05, Short: 10, Long: 60, Budget: 1200}, cliff(37), 20, 20},
	} {
		a, seen := run(t, tt.cfg, &server{tt.use, 0, 1})
		if tt.low == 0 {
			if a.X != nil || a.Reason == "" {
				t.Errorf("%s: %+v", tt.name, a)
			}
			continue
		}
		if a.X == nil || *a.X < tt.low || *a.X > tt.top || !a.Confirmed || a.Binding == "" && tt.use(1) > 0 {
			x := "nothing"
			if a.X != nil {
				x = fmt.Sprint(*a.X)
			}
			t.Errorf("%s: found %s, %+v, %d probes", tt.name, x, a, len(seen))
		}
	}
}

// The time is a bound, and what is known then is said.
func TestBudget(t *testing.T) {
	cfg := config(false)
	cfg.Budget = 100
	a, _ := run(t, cfg, &server{queue(100, 5), 0.5, 3})
	if a.Spent > 100+60 || a.Reason == "" || a.Confirmed && a.Narrow {
		t.Errorf("%+v", a)
	}
}

// A search goes on from its observations as if it had never been interrupted.
func TestGoesOn(t *testing.T) {
	_, seen := run(t, config(false), &server{queue(100, 5), 0.3, 5})
	again := New(config(false))
	for i, o := range seen {
		p, ok := again.Next()
		if !ok || p.X != o.X || p.Purpose != o.Purpose {
			t.Fatalf("probe %d: %+v instead of %g", i, p, o.X)
		}
		again.Observed(o)
	}
	if _, ok := again.Next(); ok {
		t.Error("it is not over")
	}
}

func TestFromResult(t *testing.T) {
	objective, err := slo.Parse("p99_ttft<=500ms and output_throughput>=100 and failed<1% and p99_itl<50ms")
	if err != nil {
		t.Fatal(err)
	}
	interval := func(key string, low, high float64) measure.NamedInterval {
		in := measure.NamedInterval{Key: key, Interval: intervals.Interval{Low: &low, High: &high}}
		if high == 0 {
			in.High = nil
		}
		return in
	}
	metric := func(name string, p99 float64) measure.MetricStats {
		return measure.MetricStats{Metric: metric.Metric{Name: name}, Stats: intervals.Stats{N: 98, Percentiles: []intervals.Percentile{{P: 99, Value: p99}}}}
	}
	o := FromResult(&measure.Result{
		Duration: 1, Requests: 100, Completed: 98, Failed: 2, OutputTokens: 50, Metrics: []measure.MetricStats{metric("ttft", 250), metric("itl", 50)},
		End: &journal.End{Stopped: "why"}, Latency: measure.Latency{Sent: measure.LatencyFrom{E2EL: measure.Summary{Mean: 12}}},
		Confidence: measure.Confidence{Intervals: []measure.NamedInterval{interval("p99_ttft_ms", 200, 0), interval("output_throughput", 40, 80)}},
	}, objective)
	got := ""
	for _, c := range o.Clauses {
		got += fmt.Sprintf("%s %s %s %s; ", c.Clause, number(c.Use), number(c.Low), number(c.High))
	}
	const want = "p99_ttft<=500ms 0.500 0.400 -; output_throughput>=100 2.000 1.250 2.500; failed<1% 2.000 - -; p99_itl<50ms 1.000 - -; "
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if o.GaveUp != "why" || o.Numbers.Latency != 12 || o.Numbers.Goodput != nil || o.Holds() {
		t.Errorf("%+v", o)
	}
	if *o.Clauses[3].Use <= 1 {
		t.Error("at the limit of a < it does not hold")
	}
}

func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

func TestCurve(t *testing.T) {
	point := func(x, seconds, output, latency, goodput float64) Observation {
		return Observation{X: x, Seconds: seconds, Numbers: Numbers{Sent: 50, Requests: 50, Output: output, Latency: latency, Goodput: &goodput}}
	}
	left := point(16, 10, 900, 10, 90)
	left.GaveUp = "too slow"
	curve := Curve([]Observation{point(4, 10, 390, 105, 4), point(1, 10, 100, 100, 1), point(2, 60, 200, 100, 2), point(2, 10, 999, 1, 9), point(8, 10, 500, 400, 3), left})
	if len(curve) != 5 || curve[1].Probes != 2 || curve[1].Numbers.Output != 200 {
		t.Fatalf("%+v", curve)
	}
	if k, p, g := Knee(curve), Peak(curve), BestGoodput(curve); k.X != 4 || p.X != 8 || g.X != 4 {
		t.Errorf("knee %v, peak %v, goodput %v", k.X, p.X, g.X)
	}
	if Knee(nil) != nil {
		t.Error("a knee of nothing")
	}
}

// Whatever a result says, the search goes on with it.
func TestAnyResult(t *testing.T) {
	objective, err := slo.Parse("output_throughput>=0 and failed<1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{0, -1, 1e308, math.Inf(1), math.NaN()} {
		s := New(config(false))
		in := measure.NamedInterval{Key: "output_throughput", Interval: intervals.Interval{Low: &v, High: &v}}
		o := FromResult(&measure.Result{Requests: 1, OutputThroughput: v, Confidence: measure.Confidence{Intervals: []measure.NamedInterval{in}}}, objective)
		o.X, o.Seconds = 1, 1
		s.Observed(o)
		s.Next()
		s.Answer()
	}
}
