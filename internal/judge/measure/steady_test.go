package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// closedLoop is a closed loop of a server that gives each request its own length,
// independent of all others: in the long run each slot ends 1/mean requests a second.
func closedLoop(rnd *rand.Rand, slots, n int, climb int64, tokens func(*rand.Rand) int) *memory {
	m := &memory{run: closedRun(slots), end: &journal.End{}}
	m.run.Options.NumPrompts = n
	free := make([]int64, slots)
	for i := range free {
		free[i] = int64(i) * climb
	}
	for i := range n {
		slot := slices.Index(free, slices.Min(free))
		chunks := make([]int64, tokens(rnd))
		for k := range chunks {
			chunks[k] = 50 + int64(k)*10
		}
		r := stream(i, free[slot], chunks...)
		free[slot] = r.End / ms
		m.requests = append(m.requests, r)
	}
	return m
}

// TestSteadyStateIsUnbiased: over runs with several seeds, the steady state's rate of
// requests is the true one, and fits its rate of tokens, however few waves there are and
// however different the requests. The rule before (whole requests that end in the
// window) is off by up to a whole wave.
func TestSteadyStateIsUnbiased(t *testing.T) {
	const slots, seeds = 20, 12
	lengths := []struct {
		name   string
		short  float64 // tolerance of runs of four waves: so few requests have no sure mean
		tokens func(*rand.Rand) int
	}{
		{"all the same", 0.001, func(*rand.Rand) int { return 64 }},
		{"even", 0.05, func(r *rand.Rand) int { return 2 + r.IntN(125) }},
		{"exponential", 0.1, func(r *rand.Rand) int { return 2 + int(r.ExpFloat64()*62) }},
		{"two kinds", 0.2, func(r *rand.Rand) int { return 16 + 240*(r.IntN(5)/4) }},
	}
	for _, l := range lengths {
		mean, rnd := 0.0, rand.New(rand.NewPCG(5, 6))
		for range 200_000 {
			mean += float64(l.tokens(rnd)) / 200_000
		}
		truth := slots / ((50 + (mean-1)*10) / 1000) // requests a second
		for _, run := range []struct {
			requests  int
			climb     int64 // ms between the first sends of slots
			tolerance float64
		}{{4 * slots, 0, l.short}, {4 * slots, 5, l.short}, {1000, 0, 0.01}, {1000, 5, 0.01}} {
			rate, tokens, many := 0.0, 0.0, 0.0
			for seed := range uint64(seeds) {
				m := closedLoop(rand.New(rand.NewPCG(seed, 7)), slots, run.requests, run.climb, l.tokens)
				s := measured(t, m, Options{}).SteadyState
				if s == nil {
					t.Fatalf("%s, %+v: no steady state", l.name, run)
				}
				rate += s.RequestThroughput / seeds
				tokens += *s.OutputThroughput / seeds
				many += measured(t, m, Options{RowLimit: 10}).SteadyState.RequestThroughput / seeds
			}
			if off := rate/truth - 1; math.Abs(off) > run.tolerance {
				t.Errorf("%s, %+v: %.2f requests a second, in truth %.2f (%+.1f %%)", l.name, run, rate, truth, off*100)
			}
			if off := tokens/mean/rate - 1; math.Abs(off) > 0.02+run.tolerance {
				t.Errorf("%s, %+v: %.2f requests a second, and tokens of %.2f (%+.1f %%)", l.name, run, rate, tokens/mean, off*100)
			}
			roughly(t, "aggregates", many, rate, 0.005)
		}
	}
}

// TestSteadyStateOfATinyRun: by their parts there are never more requests in the window than in the run, whatever
// their lengths: those that the window finds open are the long ones of a tiny run.
func TestSteadyStateOfATinyRun(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		for _, n := range []int{8, 12, 20} {
			m := closedLoop(rnd, 4, n, 5, func(r *rand.Rand) int { return 2 + int(r.ExpFloat64()*62) })
			for _, limit := range []int{0, 4} {
				s := measured(t, m, Options{RowLimit: limit}).SteadyState
				if s != nil && (s.Window.Requests > float64(n)+1e-9 || s.Window.Requests <= 0) {
					t.Fatalf("seed %d: %.1f requests in the window of a run of %d (limit %d)", seed, s.Window.Requests, n, limit)
				}
			}
		}
	}
}
