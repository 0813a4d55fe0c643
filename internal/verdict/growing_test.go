package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// queue simulates a server that works on 20 requests at a time, each for 200 ms on
// average, with arrivals at random for 30 s at a share of what it can do.
func queue(share float64, seed uint64) *facts {
	const servers, work, length = 20, 200e6, 30e9
	random := rand.New(rand.NewPCG(seed, 1))
	run := &journal.Run{Options: journal.Options{Pace: "poisson", Burstiness: 1}}
	f := newFacts(run, Options{}.withDefaults(&run.Options))
	free := make([]int64, servers)
	gap := work / servers / share
	for at := 0.0; at < length; at += random.ExpFloat64() * gap {
		i := slices.Index(free, slices.Min(free))
		free[i] = max(free[i], int64(at)) + int64(random.ExpFloat64()*work)
		f.add(&view{Request: &journal.Request{Due: int64(at), Sent: int64(at), End: free[i], Outcome: journal.Complete}})
	}
	return f
}

// A queue beyond what the server can do is found, and one below it is not.
func TestGrowingTellsOverloadFromChance(t *testing.T) {
	entries := table()
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == "growing" })
	const runs = 100
	for _, tt := range []struct {
		share       float64
		least, most int // runs that are found
	}{{0.5, 0, 1}, {0.8, 0, 2}, {0.9, 0, 4}, {1.1, 70, runs}, {1.2, 95, runs}, {1.5, 98, runs}, {3, 98, runs}} {
		found := 0
		for seed := range uint64(runs) {
			if (&growing{}).result(queue(tt.share, seed), entries[i].limits).Level.Bad() {
				found++
			}
		}
		t.Logf("at %g of what the server can do: %d of %d", tt.share, found, runs)
		if found < tt.least || found > tt.most {
			t.Errorf("at %g of what the server can do %d of %d runs are found, want %d to %d", tt.share, found, runs, tt.least, tt.most)
		}
	}
}
