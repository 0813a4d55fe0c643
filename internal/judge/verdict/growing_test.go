package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// queue simulates a server that works on 20 requests at a time, each for 200 ms on
// average, with arrivals for so long at a share of what it can do, at random or even.
func queue(share, length float64, even bool, seed uint64) *facts {
	const servers, work = 20, 200e6
	random := rand.New(rand.NewPCG(seed, 1))
	run := &journal.Run{Options: journal.Options{Pace: "poisson", Burstiness: 1}}
	if even {
		run.Options.Pace, run.Options.Burstiness = "constant", 0
	}
	f := newFacts(run, Options{}.withDefaults(&run.Options))
	free := make([]int64, servers)
	gap := work / servers / share
	wait := random.ExpFloat64
	if even {
		wait = func() float64 { return 1 }
	}
	for at := 0.0; at < length; at += wait() * gap {
		i := slices.Index(free, slices.Min(free))
		free[i] = max(free[i], int64(at)) + int64(random.ExpFloat64()*work)
		f.add(&view{Request: &row.Request{Request: &journal.Request{Due: int64(at), Sent: int64(at), End: free[i], Outcome: journal.Complete}}})
	}
	return f
}

// A queue beyond what the server can do is found, and one below it is not.
func TestGrowingTellsOverloadFromChance(t *testing.T) {
	entries := table()
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == "growing" })
	const runs = 100
	every := everyth()
	for _, tt := range []struct {
		share       float64
		seconds     float64
		even        bool
		least, most int // runs that are found
	}{
		{0.5, 30, false, 0, 1},
		{0.8, 30, false, 0, 2},
		{0.9, 30, false, 0, 4},
		{1.1, 30, false, 70, runs},
		{1.2, 30, false, 95, runs},
		{1.5, 30, false, 98, runs},
		{3, 30, false, 98, runs},
		{0.8, 30, true, 0, 2},
		{0.9, 30, true, 0, 4},
		{1.1, 30, true, 90, runs},
		{0.8, 4, true, 0, 4},
		{0.9, 4, true, 0, 8},
		{1.6, 4, true, 95, runs},
	} {
		found := 0
		for seed := 0; seed < runs; seed += every {
			if growing(queue(tt.share, tt.seconds*1e9, tt.even, uint64(seed)), entries[i].limits).Level.Bad() {
				found += every
			}
		}
		name := fmt.Sprintf("at %g of what the server can do for %g s, even arrivals %v:", tt.share, tt.seconds, tt.even)
		t.Logf("%s %d of %d", name, found, runs)
		if found < tt.least-every+1 || found > tt.most+every-1 {
			t.Errorf("%s %d of %d runs are found, want %d to %d", name, found, runs, tt.least, tt.most)
		}
	}
}
