package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/bench/simproc"
)

type options struct {
	binary, backend, itl, engine      string
	streams, requests, tokens, rounds int
	tls, noTokenizer                  bool
}

// measure does all rounds and returns the one whose p99 is in the middle.
func measure(o options) (result, error) {
	var rounds []result
	for range o.rounds {
		r, err := round(o)
		if err != nil {
			return result{}, err
		}
		rounds = append(rounds, r)
	}
	slices.SortFunc(rounds, func(a, b result) int { return int(a.kernel.p99 - b.kernel.p99) })
	return rounds[len(rounds)/2], nil
}

func round(o options) (result, error) {
	dir, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	truthPath, runDir := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
	flags := []string{"--ttft", "50ms", "--itl", o.itl, "--truth", truthPath}
	if o.tls {
		flags = append(flags, "--tls")
	}
	sim, err := simproc.Start(o.binary, flags...)
	if err != nil {
		return result{}, err
	}
	bench := exec.Command(o.binary, "bench", "serve", "--backend", o.backend, "--base-url", sim.URL, "--insecure", "--model", "sim",
		"--dataset-name", "random", "--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens),
		"--num-prompts", strconv.Itoa(o.requests), "--max-concurrency", strconv.Itoa(o.streams), "--run-dir", runDir, "--quiet", "--engine", o.engine)
	if o.noTokenizer {
		bench.Args = append(bench.Args, "--skip-tokenizer-init")
	}
	out, err := bench.CombinedOutput()
	if stopErr := sim.Stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return result{}, fmt.Errorf("bench serve: %w\n%s", err, out)
	}
	return join(filepath.Join(runDir, "journal.jsonl.zst"), truthPath)
}
