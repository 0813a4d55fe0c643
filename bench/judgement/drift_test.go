package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	driftRuns = flag.Int("runs", 10, "of each cell of the table of drift; below 100 only the cells that are held to something are drawn")
	driftSeed = flag.Uint64("seed-of-drift", 1, "of that table")
)

// TestDriftBySizeAndPlace prints the table of docs/verdict.md: how often drift accuses a server that becomes slower after
// a share of the requests, by the size of the run; and one that does not. The seeds are fixed: it holds or doesn't, on all machines alike.
func TestDriftBySizeAndPlace(t *testing.T) {
	places := []float64{0.15, 0.3, 0.5, 0.7, 0.85}
	var b strings.Builder
	b.WriteString("\n| requests, at a time | no change | 1.3 times, after 15 / 30 / 50 / 70 / 85 % | 2 times | 3 times |\n|---|---:|---|---|---|\n")
	for _, size := range [][2]int{{60, 1}, {150, 10}, {200, 10}, {400, 10}, {1000, 10}} {
		accused := func(change, place float64) float64 {
			found := 0
			for n := range *driftRuns {
				w := world{requests: size[0], slots: size[1], noise: 0.15, lengths: 0.5, waves: 0.05, change: change, place: place}
				k, err := verdictOf(&w, rand.New(rand.NewPCG(*driftSeed, uint64(n))))
				if err != nil {
					t.Fatal(err)
				}
				if k.Level.Bad() {
					found++
				}
			}
			return 100 * float64(found) / float64(*driftRuns)
		}
		never := accused(0, 0)
		if never > 10 {
			t.Errorf("%v: %.0f %% of the steady runs are accused", size, never)
		}
		fmt.Fprintf(&b, "| %d, %d | %.1f %% |", size[0], size[1], never)
		for _, change := range []float64{1.3, 2, 3} {
			var cells []string
			for _, place := range places {
				held := change == 3 && size[0] >= 400
				if !held && *driftRuns < 100 {
					cells = append(cells, "·") // not drawn
					continue
				}
				power := accused(change, place)
				cells = append(cells, fmt.Sprintf("%.0f", power))
				if held && power < 90 {
					t.Errorf("%v, 3 times slower after %.0f %%: found in %.0f %%", size, place*100, power)
				}
			}
			b.WriteString(" " + strings.Join(cells, " / ") + " |")
		}
		b.WriteString("\n")
	}
	t.Log(b.String())
}
