package find

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/plan/search"
)

var update = flag.Bool("update", false, "write the golden files anew")

// seen is a probe of a made-up server.
func seen(x, use, seconds float64, why search.Purpose) search.Observation {
	low, high, value, goodput := use*0.95, use*1.05, use*500, x*min(1, 1/use)
	none, all := 0.0, 0.0
	return search.Observation{
		X: x, Seconds: seconds, Cost: seconds + 1, Purpose: why,
		Clauses: []search.ClauseUse{
			{Clause: "p99_ttft<=500ms", Value: &value, Use: &use, Low: &low, High: &high},
			{Clause: "failed<1%", Value: &none, Use: &all},
		},
		Numbers: search.Numbers{Sent: 100, Requests: 100, Throughput: x, Output: 100 * x, Total: 300 * x, Goodput: &goodput, Latency: 100 + x*x, Verdict: "VALID"},
	}
}

func TestFindMarkdown(t *testing.T) {
	s := search.New(search.Config{From: 4, Tolerance: 0.05, Short: 10, Long: 60, Enough: 300, Budget: 1200})
	left := seen(16, 2.5, 10, search.Bracket)
	left.GaveUp = "p99_ttft<=500ms can't be met: 50 of 60 values are over the limit"
	dollars, joules := 1.5, 0.25
	held := seen(9.9, 0.98, 60, search.Confirm)
	held.Numbers.Cost = &search.Cost{PerMillionOutput: &dollars, PerMillionTokens: &joules}
	for _, o := range []search.Observation{seen(4, 0.4, 10, search.Bracket), seen(8, 0.8, 10, search.Bracket), left, seen(10.1, 1.02, 30, search.Narrow), seen(9.8, 0.97, 30, search.Narrow), seen(10.9, 1.2, 30, search.Check), held} {
		s.Observed(o)
	}
	none := search.New(search.Config{From: 4, Tolerance: 0.05, Short: 10, Long: 60, Enough: 300, Budget: 1200})
	for range 3 {
		none.Observed(seen(4, 1.5, 10, search.Bracket))
	}
	spoiled, range8 := search.New(search.Config{From: 4, Tolerance: 0.05, Short: 10, Long: 60, Enough: 300, Budget: 1200}), search.New(search.Config{From: 4, To: 8, Tolerance: 0.05, Short: 10, Long: 60, Enough: 300, Budget: 1200})
	for range 3 {
		o := seen(4, 1.5, 10, search.Bracket)
		o.Numbers.Verdict, o.Spoiled = "INVALID", "it is INVALID because of lag: half of the latency is ours; hint: give the client more processors"
		spoiled.Observed(o)
	}
	for _, o := range []search.Observation{seen(4, 0.2, 10, search.Bracket), seen(8, 0.23, 10, search.Bracket), seen(8, 0.23, 60, search.Confirm)} {
		range8.Observed(o)
	}
	r := Report{SLO: "p99_ttft<=500ms and failed<1%", Vary: Rate, Tolerance: 0.05, Map: "input-len"}
	for value, s := range map[string]*search.Search{"128": s} {
		f := resultOf(s)
		f.Value = value
		r.Results = append(r.Results, f)
	}
	for i, s := range []*search.Search{none, spoiled, range8} {
		f := resultOf(s)
		f.Value = []string{"2048", "512", "64"}[i]
		r.Results = append(r.Results, f)
	}
	const file = "testdata/find.golden.md"
	got := r.Text(0)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
