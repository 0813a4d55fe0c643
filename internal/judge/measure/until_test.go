package measure

import (
	"math/rand/v2"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
)

// watched feeds requests to an Until until it says stop, as load does, and returns
// how many it took; 0: it never said so.
func watched(t *testing.T, text string, limit int, request func(i int) journal.Request) int {
	t.Helper()
	goals, err := condition.Parse(text, condition.Width)
	if err != nil {
		t.Fatal(err)
	}
	run := closedRun(4)
	u := NewUntil(&run.Options, goals)
	for i := range limit {
		r := request(i)
		if u.Ended(&r) && u.Judge() != "" {
			return i + 1
		}
	}
	return 0
}

// noisy is a request whose first chunk comes after 50 to 150 ms.
func noisy(random *rand.Rand) func(i int) journal.Request {
	return func(i int) journal.Request {
		first := 50 + random.Int64N(100)
		return stream(i, int64(i)*20, first, first+10+random.Int64N(3), first+22)
	}
}

// A narrower goal needs more requests, about as the square; several goals need what
// the hardest needs, and a mean of constant values the least that there is.
func TestUntilGoesOnUntilNarrow(t *testing.T) {
	took := func(text string) int { return watched(t, text, 30_000, noisy(rand.New(rand.NewPCG(1, 1)))) }
	five, two := took("median_ttft±5%"), took("median_ttft±2%")
	// Uniform from 50 to 150: the median of n lies within ±98/√n %.
	if five < 300 || five > 900 || two < 4*five || two > 9*five {
		t.Errorf("±5 %% took %d requests, ±2 %% took %d", five, two)
	}
	if both := took("median_ttft±5% and mean_e2el±50%"); both != five {
		t.Errorf("with an easy goal beside it, %d requests, want %d", both, five)
	}
	if easy := took("mean_ttft±60%"); easy < minUntil || easy > 2*minUntil {
		t.Errorf("an easy goal took %d requests, want the least", easy)
	}
	if hard := took("p99_ttft±0.001%"); hard != 0 {
		t.Errorf("a goal that can't be reached was reached after %d", hard)
	}
	for _, text := range []string{"median_itl±5%", "request_throughput±5%", "output_throughput±5%", "p90_tpot±5%", "p95_e2el+-3%"} {
		if n := took(text); n < minUntil {
			t.Errorf("%s: %d", text, n)
		}
	}
}

// Failures neither count nor stop a run.
func TestUntilCountsSuccesses(t *testing.T) {
	next := noisy(rand.New(rand.NewPCG(2, 2)))
	if n := watched(t, "mean_ttft±50%", 5000, func(i int) journal.Request {
		return failed(next(i), journal.Truncated, "cut")
	}); n != 0 {
		t.Errorf("stopped after %d failures", n)
	}
}

func TestUntilInTheResult(t *testing.T) {
	next := noisy(rand.New(rand.NewPCG(3, 3)))
	m := &memory{run: closedRun(4), end: &journal.End{Stopped: journal.UntilReached}}
	m.run.Options.Until = "median_ttft±50% and p99_ttft±1%"
	for i := range 200 {
		m.requests = append(m.requests, next(i))
	}
	s := measured(t, m, Options{}).Until
	if s == nil || !s.Reached || len(s.Goals) != 2 || s.Goals[0].HalfWidth == nil || *s.Goals[0].HalfWidth > 0.5 || s.Goals[1].HalfWidth != nil {
		t.Errorf("%+v", s)
	}
	m.end.Stopped = journal.BoundReached
	if s := measured(t, m, Options{}).Until; s.Reached {
		t.Error("a bound is not the goal")
	}
	m.run.Options.Until = "p99_of_a_later_version±1%"
	if s := measured(t, m, Options{}).Until; s == nil || len(s.Goals) != 0 {
		t.Errorf("a goal that we can't read: %+v", s)
	}
	m.run.Options.Until = ""
	if s := measured(t, m, Options{}).Until; s != nil {
		t.Errorf("no goal: %+v", s)
	}
}
