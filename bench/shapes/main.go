// Command shapes holds `bench shapes` beside the real llama-bench: the same model,
// threads, batch sizes, flash attention and cache types, in turns, never at the
// same instant. It prints the ratio of their tokens a second, round by round, and
// its median. What else runs on the machine can only slow a round down, so the ratio
// of the best rounds is printed too, and that of our clock to the server's own.
//
//	make bench-shapes
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	b := bench{}
	harness.BinaryVar(&b.binary)
	flag.IntVar(&b.threads, "threads", 1, "threads of both llama-bench and llama-server")
	rounds := harness.Rounds(9)
	tolerance := flag.Float64("tolerance", 0, "fail if a median ratio is farther from 1 than this; 0: never")
	harness.Main("bench-shapes", func() error { return run(b, *rounds, *tolerance) })
}

// tests are the two that everybody quotes.
var tests = []test{{"pp512", "512", "0"}, {"tg128", "0", "128"}}

func run(b bench, rounds int, tolerance float64) error {
	where := strings.Split(strings.TrimSpace(os.Getenv("INFEROMETER_LLAMA")), "\n")
	if len(where) != 3 {
		return fmt.Errorf("INFEROMETER_LLAMA must hold the three lines of scripts/llama-server.sh: use make bench-shapes")
	}
	b.server, b.llamaBench, b.model = where[0], where[1], where[2]
	stop, err := b.start()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%-6s %-6s %12s %12s %12s %8s %8s\n", "round", "test", "llama-bench", "shapes", "its server", "ratio", "clocks")
	ratios, clocks := map[string][]float64{}, map[string][]float64{}
	best := map[string][2]float64{}
	for round := range rounds {
		for _, t := range tests {
			theirs, ours, err := b.both(t, round%2 == 0)
			if err != nil {
				return err
			}
			ratio := ours.Rate / theirs.Rate
			ratios[t.name] = append(ratios[t.name], ratio)
			clocks[t.name] = append(clocks[t.name], ours.Rate/ours.ServerRate)
			best[t.name] = [2]float64{max(best[t.name][0], theirs.Rate), max(best[t.name][1], ours.Rate)}
			fmt.Printf("%-6d %-6s %12.2f %12.2f %12.2f %8.3f %8.3f\n", round+1, t.name, theirs.Rate, ours.Rate, ours.ServerRate,
				ratio, ours.Rate/ours.ServerRate)
		}
	}
	for _, t := range tests {
		m := harness.Median(ratios[t.name])
		fmt.Printf("%s, %d rounds: bench shapes to llama-bench %.3f (median), %.3f (best of each); bench shapes to the server's own clock %.4f (median)\n",
			t.name, rounds, m, best[t.name][1]/best[t.name][0], harness.Median(clocks[t.name]))
		if tolerance > 0 && (m < 1-tolerance || m > 1+tolerance) {
			err = cmp.Or(err, fmt.Errorf("%s: the ratio %.3f is not within %g of 1", t.name, m, tolerance))
		}
	}
	return err
}
