// Command prompts measures what random prompts cost: the CPU time (user and
// system, of all threads) in which we make them, as a ratio to the CPU time that
// Python's tokenizers takes for the decode-encode work in them. Both run as
// processes of their own, in interleaved rounds, and must give the same prompts.
//
//	make bench-prompts
//	PYTHON=/path/to/venv/bin/python make bench-prompts
//
// Loading the tokenizer counts for neither. Drawing the ids counts for us alone.
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
	var o options
	flag.StringVar(&o.python, "python", cmp.Or(os.Getenv("PYTHON"), "python3"), "a Python that has numpy and tokenizers")
	flag.StringVar(&o.script, "script", "bench/prompts/prompts.py", "what that Python runs")
	flag.IntVar(&o.prompts, "prompts", 1000, "prompts to make")
	flag.IntVar(&o.tokens, "tokens", 1024, "tokens of a prompt")
	flag.Uint64Var(&o.seed, "seed", 0, "seed of the draws")
	flag.IntVar(&o.rounds, "rounds", 3, "interleaved rounds")
	limit := flag.Float64("max", 0, "fail if a median ratio is above this; 0: don't")
	names := flag.String("tokenizers", "gpt2,qwen2_5,llama3", "tokenizers, as scripts/tokenizers.sh names them")
	generateWith := flag.String("generate", "", "make the prompts with the tokenizer in this folder, print their cost as JSON, and end")
	profile := flag.String("cpuprofile", "", "with -generate: write a profile")
	harness.Main("bench-prompts", func() error { return run(o, *limit, *generateWith, *profile, strings.Split(*names, ",")) })
}

func run(o options, limit float64, folder, profile string, names []string) error {
	if folder != "" {
		return generate(o, folder, profile)
	}
	if err := o.checkPython(); err != nil {
		if limit > 0 {
			return err // a limit that is not looked at would pass
		}
		fmt.Println("only our own figures:", err)
		o.python = ""
	}
	rows, err := measure(o, names)
	if err != nil {
		return err
	}
	fmt.Print(table(rows))
	for _, r := range rows {
		if ratio := harness.Median(r.ratios); limit > 0 && ratio > limit {
			return fmt.Errorf("%s: %.2f × the CPU time of Python's tokenizers, more than %.2f", r.name, ratio, limit)
		}
	}
	return nil
}
