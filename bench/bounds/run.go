package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
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
	truth, err := selftest.TrueEvents(truthPath)
	if err != nil {
		return err
	}
	path := filepath.Join(runDir, "journal.jsonl.zst")
	seen, err := measured(path, nil)
	if err != nil {
		return err
	}
	is, err := measured(path, truth)
	if err != nil {
		return err
	}
	t.add(seen, is, o.allowance)
	return nil
}

// measured is a journal's result: as it is, or with the times of the truth in place of ours.
func measured(path string, truth map[string][]int64) (*measure.Result, error) {
	j, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	return measure.Measure(&trueJournal{j, truth}, measure.Options{})
}

// trueJournal is a journal whose events have the times of the truth.
type trueJournal struct {
	*journal.Reader
	truth map[string][]int64 // nil: those of the journal
}

func (j *trueJournal) Next() (*journal.Request, error) {
	q, err := j.Reader.Next()
	if err != nil || j.truth == nil || q.Warmup || q.Outcome != journal.Complete {
		return q, err
	}
	at, ok := j.truth[q.ID]
	if !ok || len(at) != len(q.Events.At) {
		return nil, fmt.Errorf("request %s: we saw %d events, the server sent %d", q.ID, len(q.Events.At), len(at))
	}
	before := j.Run().StartUnixNs + q.Sent
	for i, ns := range at {
		q.Events.At[i] = ns - before
		before = ns
	}
	return q, nil
}
