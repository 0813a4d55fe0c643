// Command coverage asks how often our 95 % intervals hold the truth. It simulates
// runs of a queue in steady state, in memory and from a seed, measures each one as
// a journal, and counts in how many the interval of each number holds what a very
// long run of the same queue shows.
//
//	make bench-coverage
package main

import (
	"flag"
	"fmt"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	runs := flag.Int("runs", 500, "simulated runs of each model")
	requests := flag.Int("requests", 2000, "requests in a run")
	long := flag.Int("truth", 2_000_000, "requests of the run that gives the truth")
	first := flag.Uint64("seed", 0, "seed of the first run: the method was chosen on those from 0")
	harness.Main("coverage", func() error {
		return show(*runs, *requests, *long, *first)
	})
}

func show(runs, requests, long int, first uint64) error {
	fmt.Printf("%d runs of %d requests each; the truth from %d requests\n", runs, requests, long)
	for _, m := range append(models(), idle()) {
		m.first = first
		truth, err := m.truth(long)
		if err != nil {
			return err
		}
		list, err := m.coverage(runs, requests, truth)
		if err != nil {
			return err
		}
		fmt.Printf("\n%-20s %10s %8s %6s %6s %6s %12s %12s %16s\n", m.name, "truth", "inside", "below", "above", "open", "half width", "effective n", "MLPerf's")
		for _, t := range list {
			t.printRow(truth[t.Key])
		}
		for _, goal := range []struct{ text, key string }{{"median_e2el±3%", "median_e2el_ms"}, {"p95_ttft±5%", "p95_ttft_ms"}} {
			t, mean, err := m.untilCoverage(runs/5, goal.text, goal.key, truth[goal.key])
			if err != nil {
				return err
			}
			fmt.Printf("--until %s: %d of %d runs reached it, after %.0f requests on average\n", goal.text, t.Runs, runs/5, mean)
			t.printRow(truth[goal.key])
		}
	}
	return nil
}

func (t *tally) printRow(truth float64) {
	early := ""
	if t.Early > 0 {
		early = fmt.Sprintf("%.1f %% of %d", 100*float64(t.EarlyHeld)/float64(t.Early), t.Early)
	}
	fmt.Printf("%-20s %10.2f %6.1f %% %6d %6d %6d %10.1f %% %12.0f %16s\n", t.Key, truth,
		100*float64(t.Inside)/float64(max(t.Runs, 1)), t.BelowAbove[0], t.BelowAbove[1], t.Open, 100*t.Width, t.Effective, early)
}
