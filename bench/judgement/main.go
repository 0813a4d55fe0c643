// Command judgement counts how often the judges of this program are right: the verdict, drift, explain, compare,
// ab and find. It plays drawn situations whose truth is known, with fresh seeds, and prints for each judge and situation
// how often it was right, how often it left the question open, and how often it was wrong with confidence: a sentence
// that is false and that nothing beside it takes back.
//
//	go run ./bench/judgement -binary bin/inferometer               quick: some minutes
//	go run ./bench/judgement -binary bin/inferometer -full -write docs/reference/judgement.md
//	go run ./bench/judgement -binary bin/inferometer -only compare one judge
//
// It exits with 1 where a judge is wrong with confidence in more than one trial in a hundred.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options are what every judge's trials need.
type options struct {
	binary  string // the program that is judged
	server  string // another one that simulates, where the judged one is older; empty: the same
	full    bool
	seed    uint64 // of the first trial; the others follow from it
	verbose bool
	keep    bool     // leave the runs that were not judged right where they are
	within  string   // only this situation of the verdict
	trials  int      // as many of them; 0: as quick or full have it
	notes   []string // lines under the table
}

// note adds a line under the table.
func (o *options) note(form string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(form, args...))
}

// pick is a number of trials: quick or full.
func (o *options) pick(quick, full int) int {
	if o.full {
		return full
	}
	return quick
}

// judge is one of the parts that say something about runs.
type judge struct {
	name   string
	trials func(o *options) ([]tally, error)
}

// judges in the order of the table. Each has a file of its own.
var judges = []judge{
	{"verdict", verdictTrials},
	{"drift", driftTrials},
	{"explain", explainTrials},
	{"compare", compareTrials},
	{"ab", abTrials},
	{"find", findTrials},
}

func main() {
	if slices.Contains(os.Args, hogArgument) {
		hog()
	}
	var o options
	flag.StringVar(&o.binary, "binary", filepath.Join("bin", "inferometer"), "the program that is judged")
	flag.StringVar(&o.server, "server", "", "the program that simulates the server, if an older one is judged (verdict, explain)")
	flag.BoolVar(&o.full, "full", false, "as many trials as the figures of docs/reference/judgement.md need")
	flag.Uint64Var(&o.seed, "seed", 0, "of the first trial; 0: a fresh one")
	flag.BoolVar(&o.verbose, "v", false, "show each trial that was not right, or whose numbers were off")
	flag.BoolVar(&o.keep, "keep", false, "leave the folders of such runs, and say where (verdict, explain)")
	flag.StringVar(&o.within, "situation", "", "only this situation of the verdict; with the seed of a trial it is that trial")
	flag.IntVar(&o.trials, "trials", 0, "trials of the verdict; 0: as -full says")
	write := flag.String("write", "", "put the tables into this page, between their marks")
	only := flag.String("only", "", "only these judges, by commas")
	flag.Parse()
	if *write != "" && (o.within != "" || o.trials > 0) {
		fmt.Fprintln(os.Stderr, "judgement: a page gets the whole table of a judge: leave -situation and -trials out, or -write")
		os.Exit(2)
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1 << 40)
	}
	fmt.Printf("seed %d\n\n", o.seed)
	good := true
	for _, j := range judges {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), j.name) {
			continue
		}
		o.notes = nil
		got, err := j.trials(&o)
		if err != nil {
			fmt.Fprintf(os.Stderr, "judgement: %s: %v\n", j.name, err)
			os.Exit(1)
		}
		for i := range got {
			got[i].judge = j.name
		}
		text := table(got) + "\n" + under(got, o.notes)
		fmt.Println(text)
		if *write != "" {
			if err := rewrite(*write, j.name, &o, text); err != nil {
				fmt.Fprintf(os.Stderr, "judgement: %v\n", err)
				os.Exit(1)
			}
		}
		good = good && holds(got)
	}
	if !good {
		fmt.Println("FAIL: a judge is wrong with confidence in more than one trial in a hundred")
		os.Exit(1)
	}
}
