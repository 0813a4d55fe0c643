package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/metric"
	intervals "github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/slo"
)

// through runs a search whose probes are changed before it sees them; n counts them from zero.
func through(t *testing.T, cfg Config, s *server, change func(n int, o *Observation)) (Answer, []Observation) {
	t.Helper()
	search, random := New(cfg), rand.New(rand.NewPCG(s.seed, 1))
	for n := 0; n < 100; n++ {
		p, ok := search.Next()
		if !ok {
			return search.Answer(), search.Seen()
		}
		o := s.probe(random, p)
		change(n, &o)
		search.Observed(o)
	}
	t.Fatal("it does not end")
	return Answer{}, nil
}

// slow makes a probe what a stall makes of it: over, and left early.
func slow(o *Observation) {
	o.Clauses[0].Use, o.Clauses[0].Low, o.Clauses[0].High = new(5.0), new(4.0), new(6.0)
	o.GaveUp = "too slow"
}

// A probe that is no evidence is made again, and leads nowhere: neither down, nor to an answer.
func TestNoEvidence(t *testing.T) {
	edge := queue(50, 4) // at 37.5
	nothing := func(o *Observation) {
		o.Clauses[0] = ClauseUse{Clause: o.Clauses[0].Clause}
		o.Numbers = Numbers{}
	}
	for _, tt := range []struct {
		name   string
		change func(n int, o *Observation)
		x      float64 // near the edge that is found; 0: none is
		high   bool    // the edge is bounded from above
		reason string
	}{
		{"the first probe is INVALID", func(n int, o *Observation) {
			if n == 0 {
				o.Spoiled = "it is INVALID"
			}
		}, 37.5, true, ""},
		{"every fourth probe sent nothing", func(n int, o *Observation) {
			if n%4 == 0 {
				nothing(o)
			}
		}, 37.5, true, ""},
		{"every sixth probe is slow, and that is not told", func(n int, o *Observation) {
			if n%6 == 2 {
				slow(o)
			}
		}, 37.5, true, ""},
		{"a slow probe far below the edge, disturbed", func(n int, o *Observation) {
			if n == 1 {
				slow(o)
				o.Disturbed = "steal: 57 %"
			}
		}, 37.5, true, ""},
		{"all are INVALID", func(_ int, o *Observation) { o.Spoiled = "it is INVALID because of x; hint: y" }, 0, false, "no probe is evidence, and nothing is known of the edge: it is INVALID because of x; hint: y"},
		{"none sends anything", func(_ int, o *Observation) { nothing(o) }, 0, false, "only 0 requests"},
		{"those above 20 are INVALID", func(_ int, o *Observation) {
			if o.X > 20 {
				o.Spoiled = "it is INVALID because of lag; hint: more processors"
			}
		}, 16, false, "no evidence: it is INVALID because of lag; hint: more processors"},
		{"those above 20 are slow, and disturbed", func(_ int, o *Observation) {
			if o.X > 20 {
				slow(o)
				o.Disturbed = "steal: 57 %"
			}
		}, 16, false, "may be the measuring machine's doing: steal: 57 %"},
		{"long runs are INVALID", func(_ int, o *Observation) {
			if o.Purpose == Confirm {
				o.Spoiled = "it is INVALID"
			}
		}, -37.5, true, "no long run has confirmed it; the last one is no evidence: it is INVALID"},
	} {
		a, seen := through(t, config(false), &server{edge, 0.1, 3}, tt.change)
		least := math.Inf(1)
		for i := range seen {
			least = min(least, seen[i].X)
		}
		x := 0.0
		if a.X != nil {
			if x = *a.X; !a.Confirmed {
				x = -x
			}
		}
		if math.Abs(x-tt.x) > 0.06*math.Abs(tt.x) || (a.High != nil) != tt.high || !strings.Contains(a.Reason, tt.reason) || least < 1 {
			t.Errorf("%s: found %g (negative: not confirmed), want %g; %+v; lowest probe %g of %d", tt.name, x, tt.x, a, least, len(seen))
		}
		if a.High != nil && a.Low != nil && (37.5 < *a.Low*0.95 || 37.5 > *a.High*1.05) {
			t.Errorf("%s: from %g to %g", tt.name, *a.Low, *a.High)
		}
		if tt.x == 0 && len(seen) > maxAgain {
			t.Errorf("%s: %d probes", tt.name, len(seen))
		}
	}
}

// A rate is probed for as long as it takes to send some requests.
func TestProbesAreLongEnough(t *testing.T) {
	cfg := Config{From: 2, Lower: true, Tolerance: 0.05, Short: 1.2, Long: 7.2, Enough: 250, Budget: 1200}
	s := New(cfg)
	if p, ok := s.Next(); !ok || p.X*p.Seconds < 10 {
		t.Errorf("%+v sends some %g requests", p, p.X*p.Seconds)
	}
	cfg.Integer = true // how many a closed loop sends in a second nobody knows before
	s = New(cfg)
	first, _ := s.Next()
	s.Observed(Observation{X: first.X, Seconds: first.Seconds, Cost: first.Seconds, Purpose: first.Purpose, Clauses: []ClauseUse{{Clause: "p99_ttft<=1s"}}})
	if p, ok := s.Next(); !ok || p.X != first.X || p.Seconds < 2*first.Seconds {
		t.Errorf("after %+v, which sent nothing: %+v", first, p)
	}
}

// Nothing binds that is far from its limit.
func TestWhatBinds(t *testing.T) {
	cfg := Config{From: 1, To: 8, Tolerance: 0.05, Short: 10, Long: 60, Budget: 1200}
	if a, _ := run(t, cfg, &server{func(float64) float64 { return 0.23 }, 0, 1}); a.Binding != "" || a.X == nil || *a.X != 8 || a.High != nil {
		t.Errorf("%+v", a)
	}
	if a, _ := run(t, config(false), &server{queue(50, 4), 0.1, 1}); a.Binding == "" {
		t.Errorf("%+v", a)
	}
}

// What a number may be off by is noise in the use of its clause, and where its bounds reach over the limit that is told.
func TestUseWithBounds(t *testing.T) {
	objective, err := slo.Parse("p99_ttft<=500ms")
	if err != nil {
		t.Fatal(err)
	}
	low, high := 380.0, 420.0
	for _, tt := range []struct {
		most, high float64
		across     bool
	}{{450, 0.869, false}, {550, 0.920, true}} {
		o := FromResult(&measure.Result{
			Duration: 1, Requests: 100, Completed: 100, End: &journal.End{},
			Metrics:    []measure.MetricStats{{Metric: metric.Metric{Name: "ttft"}, Stats: intervals.Stats{N: 100, Percentiles: []intervals.Percentile{{P: 99, Value: 400}}}}},
			Confidence: measure.Confidence{Intervals: []measure.NamedInterval{{Key: "p99_ttft_ms", Interval: intervals.Interval{Low: &low, High: &high}}}},
			Bounds:     &bounds.Bounds{Known: true, Stamps: "kernel", Metrics: map[string]bounds.Range{"ttft": {Bounds: map[string]bounds.Ends{"p99_ms": {390, tt.most}}}}},
		}, objective)
		c := &o.Clauses[0]
		got := fmt.Sprintf("%s %s %s %s", number(c.Low), number(c.High), number(c.Least), number(c.Most))
		if want := fmt.Sprintf("0.758 %.3f 0.780 %.3f", tt.high, tt.most/500); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if !o.Holds() || (o.Across() != nil) != tt.across {
			t.Errorf("at most %g ms: holds %v, across %v", tt.most, o.Holds(), o.Across())
		}
	}
}
