// Command many shows that a run of a million requests needs no more memory than
// one of a hundred thousand: it runs both against the simulator, with a report
// over each journal afterwards, and prints what the processes needed.
//
//	make bench-many
//
// With -turns they are conversations of so many turns, with live history:
//
//	make bench-conversations
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func main() {
	binary := flag.String("binary", filepath.Join("bin", "inferometer"), "the program to measure")
	small := flag.Int("small", 100_000, "requests of the smaller run")
	large := flag.Int("large", 1_000_000, "requests of the larger run")
	streams := flag.Int("streams", 200, "concurrent requests")
	tokens := flag.Int("tokens", 4, "tokens of an answer")
	turns := flag.Int("turns", 0, "requests are conversations of so many turns; 0: each is by itself")
	limit := flag.Float64("max", 1.2, "largest ratio of memory: at the end of the load, of the whole process, and of report by itself")
	flag.Parse()
	fmt.Printf("%10s %10s %10s %10s %14s %14s %14s\n", "requests", "complete", "journal", "seconds", "load, MB", "all of it, MB", "report, MB")
	var rows [2]row
	for i, n := range []int{*small, *large} {
		r, err := measure(*binary, n, *streams, *tokens, *turns)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench-many:", err)
			os.Exit(1)
		}
		rows[i] = r
		fmt.Printf("%10d %10d %10d %10.1f %14.1f %14.1f %14.1f\n", n, r.complete, r.lines, r.seconds, r.load, r.all, r.report)
	}
	load, all, report := rows[1].load/rows[0].load, rows[1].all/rows[0].all, rows[1].report/rows[0].report
	fmt.Printf("ratio: %.2f at the end of the load, %.2f with the report at its end, %.2f for report alone\n", load, all, report)
	if want := *large * max(*turns, 1); rows[1].complete != want || rows[1].lines != want || max(load, all, report) > *limit {
		fmt.Printf("FAIL: all %d must be complete and in the journal, and each ratio at most %.2f\n", want, *limit)
		os.Exit(1)
	}
}

// row is one run: memory is resident, at its peak, in MB.
type row struct {
	complete, lines   int
	seconds           float64
	load, all, report float64
}

func measure(binary string, requests, streams, tokens, turns int) (row, error) {
	dir, err := os.MkdirTemp("", "bench-many")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(dir)
	sim, err := subprocess.Start(binary, "--ttft", "2ms", "--itl", "1ms")
	if err != nil {
		return row{}, err
	}
	defer func() { _ = sim.Stop() }()
	run := filepath.Join(dir, "run")
	args := []string{
		"bench", "serve", "--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init",
		"--random-input-len", "16", "--random-output-len", strconv.Itoa(tokens), "--num-prompts", strconv.Itoa(requests),
		"--max-concurrency", strconv.Itoa(streams), "--run-dir", run, "--quiet",
	}
	if turns > 0 {
		args = append(args, "--backend", "openai-chat", "--dataset-name", "multi-turn", "--multi-turn-num-turns", strconv.Itoa(turns))
	}
	all, err := peak(exec.Command(binary, args...))
	if err != nil {
		return row{}, err
	}
	report, err := peak(exec.Command(binary, "report", run))
	if err != nil {
		return row{}, err
	}
	r := row{all: all, report: report}
	if err := r.readResult(filepath.Join(run, journal.ResultName)); err != nil {
		return row{}, err
	}
	r.lines, err = countLines(filepath.Join(run, journal.FileName))
	return r, err
}

// peak runs a command and returns its largest resident memory.
func peak(cmd *exec.Cmd) (float64, error) {
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("this system does not tell a process's memory")
	}
	return float64(usage.Maxrss) / 1024, nil
}

func (r *row) readResult(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var result struct {
		Completed   int
		Duration    float64
		Inferometer struct {
			Client struct {
				Cost struct {
					MaxRSS float64 `json:"max_rss_bytes"`
				}
			}
		}
	}
	if err := json.Unmarshal(b, &result); err != nil {
		return err
	}
	r.complete, r.seconds, r.load = result.Completed, result.Duration, result.Inferometer.Client.Cost.MaxRSS/(1<<20)
	return nil
}

func countLines(path string) (int, error) {
	j, err := journal.Open(path)
	if err != nil {
		return 0, err
	}
	defer j.Close()
	n := 0
	for {
		if _, err := j.Next(); err != nil {
			return n, j.Damage()
		}
		n++
	}
}
