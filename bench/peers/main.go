// Command peers holds the clients of others and ours against one truth: the
// simulator's log of when each event was handed to the kernel. Each client runs
// against a simulator of its own, one after the other, in interleaved rounds,
// at three loads, and once against a server that breaks a fifth of its streams.
//
//	make peers
//
// A client that is not installed is left out, with a sentence. Each run is kept as
// one small file; the tables are made of these files alone (-from FOLDER makes them again).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
)

type options struct {
	bin, out, from, markdown, only, loads string
	rounds                                int
	limit, patience                       time.Duration
	quick                                 bool
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "folder with inferometer and bare")
	flag.StringVar(&o.out, "out", filepath.Join("dist", "peers"), "folder for the raw files; it must not hold any yet")
	flag.StringVar(&o.from, "from", "", "make the tables of the raw files in this folder, and run nothing")
	flag.StringVar(&o.markdown, "markdown", "", "file for the tables; standard output if empty")
	flag.StringVar(&o.only, "only", "", "names of clients, with commas; all if empty")
	flag.StringVar(&o.loads, "loads", "light,middle,heavy,broken", "names of loads, with commas")
	flag.IntVar(&o.rounds, "rounds", 3, "interleaved rounds")
	flag.DurationVar(&o.limit, "limit", 14*time.Minute, "no run begins after this time; the tables say what is missing")
	flag.DurationVar(&o.patience, "patience", 90*time.Second, "a client that runs longer is ended")
	flag.BoolVar(&o.quick, "quick", false, "a tenth of the requests: to try the commands, not to measure")
	harness.Main("peers", func() error { return run(o) })
}

func run(o options) error {
	folder := o.from
	if folder == "" {
		folder = o.out
		if err := measure(o); err != nil {
			return err
		}
	}
	runs, err := readAll(folder)
	if err != nil {
		return err
	}
	text := tables(runs)
	if o.markdown == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(o.markdown, []byte(text), 0o644)
}
