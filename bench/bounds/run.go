package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/inferometer/inferometer/bench/served"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// run does one run and adds it to the table.
func (t *table) run(o options) error {
	dir, err := os.MkdirTemp("", "bounds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	truthPath, runDir := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "run")
	seed := rand.Uint32() >> 1
	flags := []string{"--ttft", "lognormal:80ms:0.4", "--itl", o.itl, "--seed", strconv.Itoa(int(seed)), "--truth", truthPath}
	if o.tls {
		flags = append(flags, "--tls")
	}
	sim, err := subprocess.Start(o.binary, flags...)
	if err != nil {
		return err
	}
	bench := exec.Command(o.binary, "bench", "serve", "--backend", o.backend, "--base-url", sim.URL, "--insecure", "--model", "sim",
		"--dataset-name", "random", "--random-input-len", "64", "--random-output-len", strconv.Itoa(o.tokens), "--seed", strconv.Itoa(int(seed)), "--skip-tokenizer-init",
		"--num-prompts", strconv.Itoa(o.requests), "--max-concurrency", strconv.Itoa(o.streams), "--run-dir", runDir, "--quiet", "--engine", o.engine)
	out, err := bench.CombinedOutput()
	if stopErr := sim.Stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return fmt.Errorf("bench serve: %w\n%s", err, out)
	}
	log, err := served.Read(truthPath)
	if err != nil {
		return err
	}
	path := filepath.Join(runDir, journal.FileName)
	seen, err := served.Measure(path, nil, served.Times{})
	if err != nil {
		return err
	}
	is, err := served.Measure(path, log, served.Times{})
	if err != nil {
		return err
	}
	t.add(seen, is, o.allowance)
	return nil
}
