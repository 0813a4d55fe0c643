package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// loop simulates a closed loop of eight with latencies around 200 ms, of which half is
// chance, for a minute. Over the run they change to so many times themselves, and a
// spell of bad luck that all share comes each few seconds.
func loop(to float64, seed uint64) (*drift, *facts) {
	const slots, length = 8, 60e9
	random := rand.New(rand.NewPCG(seed, 2))
	run := &journal.Run{Options: journal.Options{Pace: "closed", MaxConcurrency: slots}}
	f := &facts{run: run}
	c := &drift{newTrend()}
	spells := make([]float64, 60)
	for i := range spells {
		spells[i] = 0.9 + 0.2*random.Float64()
	}
	free := make([]int64, slots)
	for {
		i := slices.Index(free, slices.Min(free))
		at := free[i]
		if at >= length {
			break
		}
		level := 1 + (to-1)*float64(at)/length
		free[i] = at + int64(200e6*level*spells[at/1e9]*(0.5+0.5*random.ExpFloat64()))
		c.add(&view{Request: &row.Request{Request: &journal.Request{Sent: at, End: free[i]}}, complete: true})
		f.measured, f.lastSent = f.measured+1, at
	}
	return c, f
}

// A loop that is not steady is found, and one that is steady is not.
func TestDriftTellsATrendFromChance(t *testing.T) {
	entries := table()
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == "drift" })
	const runs = 100
	for _, tt := range []struct {
		to          float64
		least, most int
	}{{1, 0, 1}, {1.1, 0, 10}, {1.5, 60, runs}, {2, 90, runs}, {4, 90, runs}, {0.5, 90, runs}} {
		found := 0
		for seed := range uint64(runs) {
			c, f := loop(tt.to, seed)
			if c.result(f, entries[i].limits).Level.Bad() {
				found++
			}
		}
		what := fmt.Sprintf("latencies that become %g times themselves: %d of %d found", tt.to, found, runs)
		t.Log(what)
		if found < tt.least || found > tt.most {
			t.Errorf("%s, want %d to %d", what, tt.least, tt.most)
		}
	}
}
