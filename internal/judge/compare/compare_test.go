package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// run is a result whose values are those of a metric, with their mean, median and p99.
func run(name string, values []float64) result.Result {
	r := result.Result{Name: name, Tool: result.VLLM, Values: map[string]float64{}, Samples: map[string][]float64{"ttft": values}}
	r.Facts.Completed, r.Facts.Asked = len(values), len(values)
	sum := 0.0
	for _, v := range values {
		sum += v * 1000
	}
	r.Values["mean_ttft_ms"] = sum / float64(len(values))
	sorted := append([]float64(nil), values...)
	for i := range sorted { // a median is enough here
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	r.Values["median_ttft_ms"] = sorted[len(sorted)/2] * 1000
	return r
}

// noisy are n latencies around a mean, each resembling the one before.
func noisy(random *rand.Rand, n int, mean, spread float64) []float64 {
	out, last := make([]float64, n), 0.0
	for i := range out {
		last = 0.5*last + random.NormFloat64()*math.Sqrt(0.75)
		out[i] = mean * math.Exp(spread*last)
	}
	return out
}

func sides(runs ...result.Result) []Side {
	var out []Side
	for _, r := range runs {
		out = append(out, Side{r.Name, []result.Result{r}})
	}
	return out
}

func mustCompare(t *testing.T, s []Side) *Comparison {
	t.Helper()
	c, err := Compare(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCalls: what a change is called depends on its size against the noise.
func TestCalls(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		what   string
		runs   int
		n      int
		factor float64
		spread float64
		want   Call
	}{
		{"a change beyond noise", 3, 2000, 1.10, 0.2, Real},
		{"no change, well known", 5, 5000, 1, 0.2, Noise},
		{"no change, badly known", 3, 50, 1, 1, Unclear},
		{"a change beyond noise, in one run per side", 1, 20000, 1.15, 0.2, Differs},
		{"no change, in one run per side", 1, 20000, 1, 0.2, Unclear},
	} {
		s := []Side{{Name: "a"}, {Name: "b"}}
		for range tt.runs {
			s[0].Runs = append(s[0].Runs, run("a", noisy(random, tt.n, 0.1, tt.spread)))
			s[1].Runs = append(s[1].Runs, run("b", noisy(random, tt.n, 0.1*tt.factor, tt.spread)))
		}
		ch := mustCompare(t, s).Row("mean_ttft_ms").Cells[1].Change
		if ch.Call != tt.want {
			t.Errorf("%s: %+v", tt.what, *ch)
		}
	}
}

// TestRepeats: with several runs per side, what counts is how much runs differ.
func TestRepeats(t *testing.T) {
	side := func(name string, means ...float64) Side {
		s := Side{Name: name}
		for _, m := range means {
			s.Runs = append(s.Runs, result.Result{Values: map[string]float64{"mean_ttft_ms": m}})
		}
		return s
	}
	for _, tt := range []struct {
		b    Side
		want Call
	}{
		{side("steady", 111, 110, 109, 110), Real},
		{side("jumps", 90, 140, 95, 120), Unclear},
	} {
		c := mustCompare(t, []Side{side("a", 100, 101, 99, 100), tt.b})
		if ch := c.Rows[0].Cells[1].Change; ch.Call != tt.want || ch.Runs != 4 {
			t.Errorf("%s: %+v", tt.b.Name, *ch)
		}
	}
}

func TestHolm(t *testing.T) {
	ch := []*Change{{P: 0.04}, {P: 0.01}, {P: 0.03}, {P: 0.9}}
	holm(ch)
	for i, want := range []float64{0.09, 0.04, 0.09, 0.9} {
		if math.Abs(ch[i].P-want) > 1e-12 {
			t.Errorf("p %d is %v, want %v", i, ch[i].P, want)
		}
	}
}

// TestDoubts: each reason that forbids a comparison, or must be kept in mind.
func TestDoubts(t *testing.T) {
	three := 3
	base := func() result.Result {
		return result.Result{Tool: result.VLLM, Values: map[string]float64{"mean_ttft_ms": 1}, Facts: result.Facts{
			Model: "org/m", Asked: 10, Completed: 10, InputTokens: 1000, OutputTokens: 500, Concurrency: 4, Workload: result.Workload{SHA: "x", Recipe: 2},
		}}
	}
	for _, tt := range []struct {
		reason string
		severe bool
		change func(f *result.Facts)
	}{
		{"missing", true, func(f *result.Facts) { f.Completed, f.InputTokens, f.OutputTokens = 6, 600, 300 }},
		{"missing", true, func(f *result.Facts) { f.Failed = &three }},
		{"missing", false, func(f *result.Facts) { f.Failed, f.Lost = &three, 3 }}, // by faults on purpose
		{"missing", true, func(f *result.Facts) { f.Failed, f.Lost = &three, 2 }},
		{"verdict", true, func(f *result.Facts) { f.Verdict, f.Reasons = "INVALID", []string{"steal"} }},
		{"verdict", false, func(f *result.Facts) { f.Verdict, f.Reasons = "SUSPECT", []string{"samples"} }},
		{"workload", false, func(f *result.Facts) { f.Workload.SHA = "y" }},
		{"tokens", false, func(f *result.Facts) { f.InputTokens = 1050 }},
		{"tokens", true, func(f *result.Facts) { f.OutputTokens = 200 }},
		{"model", false, func(f *result.Facts) { f.Model = "org/other" }},
		{"concurrency", false, func(f *result.Facts) { f.Concurrency = 8 }},
		{"", false, func(f *result.Facts) { f.Model = "/models/m/" }}, // the same, elsewhere
	} {
		b := base()
		tt.change(&b.Facts)
		got := doubts([]Side{{"a", []result.Result{base()}}, {"b", []result.Result{b}}})
		if tt.reason == "" {
			if len(got) > 0 {
				t.Errorf("%+v", got)
			}
			continue
		}
		if len(got) != 1 || got[0].Reason != tt.reason || got[0].Severe != tt.severe || got[0].Side != "b" {
			t.Errorf("%s: %+v", tt.reason, got)
		}
	}
}

func TestGate(t *testing.T) {
	for _, tt := range []struct {
		gate      string
		low, high float64
		want      Outcome
	}{
		{"p99_ttft<+5%", -0.02, 0.03, Kept},
		{"p99_ttft<+5%", 0.06, 0.12, Broken},
		{"p99_ttft<+5%", 0.02, 0.08, Undecided},
		{"p99_ttft<5%", 0.06, 0.12, Broken},
		{"output_throughput>-3%", -0.02, 0.03, Kept},
		{"output_throughput>-3%", -0.10, -0.04, Broken},
		{"output_throughput >= -3 %", -0.04, 0.01, Undecided},
		{"p99_ttft<+5% and output_throughput>-3%", 0.06, 0.12, Broken},
		{"output_throughput>-3%, p99_ttft<+5%", 0.02, 0.08, Undecided},
	} {
		c := &Comparison{Names: []string{"a", "b"}, Sides: make([]Side, 2)}
		for _, key := range []string{"p99_ttft_ms", "output_throughput"} {
			ch := &Change{Bounded: true, Low: tt.low, High: tt.high, Ratio: (tt.low + tt.high) / 2}
			c.Rows = append(c.Rows, Row{Metric: metricOf(key, nil), Cells: []Cell{{}, {Known: true, Change: ch}}})
		}
		g, err := ParseGate(tt.gate)
		if err != nil {
			t.Errorf("%s: %v", tt.gate, err)
			continue
		}
		if got, findings, err := g.Judge(c); got != tt.want || err != nil {
			t.Errorf("%s over [%g, %g]: %s %+v, %v", tt.gate, tt.low, tt.high, got, findings, err)
		}
		c.Doubts = []Doubt{{Side: "b", Severe: true, Sentence: "36 of 64"}}
		if got, _, err := g.Judge(c); got != Undecided || err != nil { // Undecided is also what an error comes with
			t.Errorf("%s with a severe doubt: %s, %v", tt.gate, got, err)
		}
	}
}

func TestGatesThatAreNone(t *testing.T) {
	for _, text := range []string{"", "p99_ttft", "p99_ttft<5", "p99_ttft<+5% or x>1%", "throughput>-200%"} {
		if _, err := ParseGate(text); err == nil {
			t.Errorf("%q was taken for a gate", text)
		}
	}
	g, err := ParseGate("p42_ttft<+5%")
	if err != nil {
		t.Fatal(err)
	}
	a := run("a", []float64{1, 2, 3, 4})
	if _, _, err := g.Judge(mustCompare(t, sides(a, a))); err == nil || !strings.Contains(err.Error(), "p42_ttft_ms") {
		t.Errorf("a metric that nobody has: %v", err)
	}
}
