package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/machine"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

type options struct {
	binary, backend, itl, engine      string
	streams, requests, tokens, rounds int
	tls, noTokenizer, best            bool
	maxMedian, maxP99                 time.Duration
}

// result is one round.
type result struct {
	*selftest.Errors
	steal float64 // share of the processors that the hypervisor took meanwhile; 0 where the system doesn't tell
}

const (
	// muchSteal is a share of the processors. Beyond it the client is stopped so often that
	// events pile up, of which the kernel stamps only the last of each read.
	muchSteal = 0.03
	// hardlyThere is a share too. Beyond it a processor is taken away between the server's note of
	// the truth and the kernel's stamp so often that the p99 shows that, on any client.
	hardlyThere = 0.1
)

// within says whether a round holds the bounds. On a machine that is hardly there the p99 is held
// to another bound if it misses its own: a fifth of what the same round's times without the kernel are off by.
func (r result) within(o options) bool {
	held, p99 := r.At, o.maxP99
	if r.steal > muchSteal {
		held = r.Alone
	}
	if r.steal > hardlyThere {
		p99 = max(p99, r.User.P99/5)
	}
	return held.Median <= o.maxMedian && held.P99 <= p99
}

// measure does all rounds and returns the one whose p99 is in the middle, or the best.
func measure(o options) (result, error) {
	var rounds []result
	for range o.rounds {
		before, _ := machine.This().CPUTimes()
		r, err := round(o)
		if err != nil {
			return result{}, err
		}
		after, _ := machine.This().CPUTimes()
		steal := float64(after.Steal-before.Steal) / float64(max(after.All()-before.All(), 1))
		rounds = append(rounds, result{r, steal})
		if o.best && rounds[len(rounds)-1].within(o) {
			return rounds[len(rounds)-1], nil
		}
	}
	slices.SortFunc(rounds, func(a, b result) int { return cmp.Compare(a.At.P99, b.At.P99) })
	if o.best {
		return rounds[0], nil
	}
	return rounds[len(rounds)/2], nil
}

func round(o options) (*selftest.Errors, error) {
	dir, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	truthPath, runDir := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
	flags := []string{"--ttft", "50ms", "--itl", o.itl, "--truth", truthPath}
	if o.tls {
		flags = append(flags, "--tls")
	}
	sim, err := subprocess.Start(o.binary, flags...)
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("bench serve: %w\n%s", err, out)
	}
	r, err := selftest.Join(filepath.Join(runDir, "journal.jsonl.zst"), truthPath)
	if err == nil && r.Failed > 0 {
		err = fmt.Errorf("%d requests failed\n%s", r.Failed, out)
	}
	return r, err
}
