package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// What lies in such a folder after a year beside the runs.
const (
	junk  = 500
	links = 1000
)

// makeRuns makes one real run against the simulator, and the others from it: with times, figures and commits of
// their own, over 50 models.
func makeRuns(binary, folder string, runs int) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	first := filepath.Join(folder, "run-00000")
	if err := realRun(binary, first); err != nil {
		return err
	}
	for i := 1; i < runs; i++ {
		if err := writeRun(folder, first, fmt.Sprintf("run-%05d", i), i); err != nil {
			return err
		}
	}
	for i := range junk {
		name := filepath.Join(folder, fmt.Sprintf("junk-%d%s", i, []string{".json", ".md", ".csv", ".txt", ".bin"}[i%5]))
		if err := os.WriteFile(name, []byte("{\"half\": ["), 0o666); err != nil {
			return err
		}
	}
	for i := range links {
		if err := os.Symlink([]string{first, folder, "/dev/zero", "nowhere"}[i%4], filepath.Join(folder, fmt.Sprintf("link-%d", i))); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(folder, "closed"), 0)
}

func realRun(binary, folder string) error {
	sim, err := subprocess.Start(binary, "--ttft", "2ms", "--itl", "1ms")
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	out, err := exec.Command(binary, "bench", "serve", "--base-url", sim.URL, "--num-prompts", "100", "--random-input-len", "16", "--random-output-len", "16",
		"--max-concurrency", "8", "--quiet", "--progress", "none", "--run-dir", folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// writeRun copies a run, with a result that is its own.
func writeRun(folder, first, name string, i int) error {
	var result map[string]json.RawMessage
	if err := harness.ReadJSON(filepath.Join(first, journal.ResultName), &result); err != nil {
		return err
	}
	set := func(key string, v any) { result[key], _ = json.Marshal(v) } // numbers and words
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 47 * time.Minute)
	set("date", at.Format("20060102-150405"))
	set("model_id", fmt.Sprintf("org/model-%d", i%50))
	set("commit", fmt.Sprintf("%040x", i/50*7919))
	for _, key := range []string{"median_ttft_ms", "p99_ttft_ms", "request_throughput", "output_throughput", "duration"} {
		var v float64
		if err := json.Unmarshal(result[key], &v); err == nil {
			set(key, v*(1+0.01*float64((i*2654435761)%7)))
		}
	}
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, name)
	return errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, journal.ResultName), b, 0o666),
		os.Link(filepath.Join(first, journal.FileName), filepath.Join(dir, journal.FileName)))
}
