// Command eval measures how often `inferometer eval` and `inferometer compare` are wrong
// about accuracy. Simulators answer the questions of a task by a key, right as often as
// they are told to. It is counted how often the 95 % interval holds what the simulator was
// told, how often two that differ are told apart, and how often two that are equally good
// are. The servers are asked over HTTP by the command itself, all or the first so many
// (-http); what they were told to say is drawn and scored in this process too, and has to be
// the same, question by question.
//
//	make bench-eval
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	b := bench{progress: os.Stderr}
	flag.IntVar(&b.seeds, "seeds", 200, "servers of each kind, each with luck of its own")
	flag.IntVar(&b.http, "http", 1<<30, "seeds that are asked over HTTP too; some three seconds each on a busy machine")
	flag.IntVar(&b.questions, "questions", 500, "questions of a run")
	flag.Float64Var(&b.accuracy, "accuracy", 0.8, "share of right answers of the better servers")
	flag.Float64Var(&b.worse, "worse", 0.08, "by how much the worse one is worse")
	flag.Uint64Var(&b.seed, "seed", rand.Uint64N(1<<32), "of the luck; another one in each run unless it is given")
	agreement := flag.Float64("agreement", -1, "share of questions whose luck is common; below 0: 0, 0.5 and 0.9")
	harness.Main("eval", func() error {
		list := []float64{0, 0.5, 0.9}
		if *agreement >= 0 {
			list = []float64{*agreement}
		}
		return b.run(os.Stdout, list)
	})
}

// run prints a line for each agreement.
func (b *bench) run(out io.Writer, agreements []float64) error {
	if err := b.open(); err != nil {
		return err
	}
	defer b.Close()
	fmt.Fprintf(out, "seed %d, %d questions, %d servers of each kind; in theory an interval holds %.1f %%\n", b.seed, b.questions, b.seeds, 100*wilsonHolds(b.questions, b.accuracy))
	for _, agreement := range agreements {
		t, err := b.measure(agreement)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "agreement %.1f: the interval holds the truth in %d of %d (%.1f %%); %.3f against %.3f told apart in %d of %d (%.1f %%, in theory %.1f %%); equal ones in %d of %d (%.1f %%); %d evals over HTTP, %.2f s each\n",
			agreement, t.holds, t.evals, percent(t.holds, t.evals), b.accuracy, b.accuracy-b.worse, t.told, t.pairs, percent(t.told, t.pairs), 100*b.power(agreement),
			t.alarms, t.pairs, percent(t.alarms, t.pairs), t.http, t.took.Seconds()/float64(max(t.http, 1)))
	}
	return nil
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
