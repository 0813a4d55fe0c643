// Command compare measures how often `inferometer compare` is wrong: it runs the
// simulator twice, once with a TTFT that is ten percent longer, measures pairs of
// runs with bench serve, and counts what the gate and the calls say of pairs that
// are the same, and of pairs that are not.
//
//	make bench-compare
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func main() {
	binary := harness.Binary()
	pairs := flag.Int("pairs", 200, "pairs of each kind")
	requests := flag.Int("requests", 400, "requests in a run")
	repeats := flag.Int("repeats", 3, "runs of a side")
	harness.Main("compare", func() error { return run(*binary, *pairs, *requests, *repeats) })
}

// gate is what a build would be held to.
const gate = "mean_ttft<+5%"

func run(binary string, pairs, requests, repeats int) error {
	scratch, err := os.MkdirTemp("", "compare-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var urls []string
	for _, ttft := range []string{"lognormal:100ms:0.15", "lognormal:110ms:0.15"} {
		sim, err := subprocess.Start(binary, "--ttft", ttft, "--itl", "exp:2ms")
		if err != nil {
			return err
		}
		defer sim.Stop() //nolint:errcheck // its truth is not needed
		urls = append(urls, sim.URL)
	}
	var same, longer tally
	for i := range pairs {
		files := make([]string, 3) // of each side, joined by commas
		for n := range repeats {
			// A, B, A: what drifts hits both alike.
			for k, url := range []string{urls[0], urls[1], urls[0]} {
				file := filepath.Join(scratch, fmt.Sprintf("%d-%d.json", k, n))
				if err := bench(binary, url, file, scratch, requests, 3*(repeats*i+n)+k); err != nil {
					return err
				}
				files[k] = strings.TrimPrefix(files[k]+","+file, ",")
			}
		}
		if i%20 == 19 {
			fmt.Fprintf(os.Stderr, "%d of %d pairs\n", i+1, pairs)
		}
		if err := errors.Join(same.add(binary, files[0], files[2]), longer.add(binary, files[0], files[1])); err != nil {
			return err
		}
	}
	fmt.Printf("%d pairs of %d runs of %d requests each; gate %s\n\n", pairs, repeats, requests, gate)
	fmt.Printf("| pairs | gate broken | gate undecided | gate kept | mean TTFT called real | any metric called real |\n|---|--:|--:|--:|--:|--:|\n")
	same.printRow("the same (A/A)")
	longer.printRow("TTFT +10 % (A/B)")
	return nil
}

// bench makes one run and saves its result.
func bench(binary, url, file, scratch string, requests, seed int) error {
	folder := filepath.Join(scratch, "run")
	defer os.RemoveAll(folder)
	cmd := exec.Command(binary, "bench", "serve", "--base-url", url, "--skip-tokenizer-init", "--num-prompts", fmt.Sprint(requests),
		"--max-concurrency", "64", "--random-input-len", "16", "--random-output-len", "8", "--seed", fmt.Sprint(seed),
		"--run-dir", folder, "--save-result", "--result-filename", file, "--quiet")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// tally counts what compare said of pairs.
type tally struct {
	pairs, broken, undecided, ttft, any int
}

func (t *tally) add(binary, a, b string) error {
	out, err := exec.Command(binary, "compare", a, b, "--gate", gate, "--format", "json").Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 5) {
		return fmt.Errorf("compare: %w", err)
	}
	var c struct {
		Rows []struct {
			Metric struct{ Key string }
			Cells  []struct{ Change *struct{ Call string } }
		}
		Gate []struct{ Outcome string }
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	t.pairs++
	switch c.Gate[0].Outcome {
	case "broken":
		t.broken++
	case "undecided":
		t.undecided++
	}
	found := false
	for _, row := range c.Rows {
		if ch := row.Cells[1].Change; ch != nil && ch.Call == "real" {
			found = true
			if row.Metric.Key == "mean_ttft_ms" {
				t.ttft++
			}
		}
	}
	if found {
		t.any++
	}
	return nil
}

func (t *tally) printRow(name string) {
	share := func(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(t.pairs, 1))) }
	fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", name, share(t.broken), share(t.undecided), share(t.pairs-t.broken-t.undecided), share(t.ttft), share(t.any))
}
