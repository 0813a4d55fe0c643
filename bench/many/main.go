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
	"flag"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
)

func main() {
	binary := harness.Binary()
	small := flag.Int("small", 100_000, "requests of the smaller run")
	large := flag.Int("large", 1_000_000, "requests of the larger run")
	streams := flag.Int("streams", 200, "concurrent requests")
	tokens := flag.Int("tokens", 4, "tokens of an answer")
	turns := flag.Int("turns", 0, "requests are conversations of so many turns; 0: each is by itself")
	limit := flag.Float64("max", 1.2, "largest ratio of memory: at the end of the load, of the whole process, and of report by itself")
	harness.Main("bench-many", func() error {
		fmt.Printf("%10s %10s %10s %10s %14s %14s %14s\n", "requests", "complete", "journal", "seconds", "load, MB", "all of it, MB", "report, MB")
		var rows [2]row
		for i, n := range []int{*small, *large} {
			r := &rows[i]
			if err := harness.Folder(func(dir string) error {
				return r.measure(*binary, filepath.Join(dir, "run"), n, *streams, *tokens, *turns)
			}); err != nil {
				return err
			}
			fmt.Printf("%10d %10d %10d %10.1f %14.1f %14.1f %14.1f\n", n, r.complete, r.lines, r.seconds, r.load, r.all, r.report)
		}
		load, all, report := rows[1].load/rows[0].load, rows[1].all/rows[0].all, rows[1].report/rows[0].report
		fmt.Printf("ratio: %.2f at the end of the load, %.2f with the report at its end, %.2f for report alone\n", load, all, report)
		if want := *large * max(*turns, 1); rows[1].complete != want || rows[1].lines != want || max(load, all, report) > *limit {
			return fmt.Errorf("all %d must be complete and in the journal, and each ratio at most %.2f", want, *limit)
		}
		return nil
	})
}

// row is one run: memory is resident, at its peak, in MB.
type row struct {
	complete, lines   int
	seconds           float64
	load, all, report float64
}

func (r *row) measure(binary, run string, requests, streams, tokens, turns int) error {
	return harness.Sim(binary, []string{"--ttft", "2ms", "--itl", "1ms"}, func(url string) error {
		args := []string{
			"bench", "serve", "--base-url", url, "--model", "sim", "--skip-tokenizer-init",
			"--random-input-len", "16", "--random-output-len", strconv.Itoa(tokens), "--num-prompts", strconv.Itoa(requests),
			"--max-concurrency", strconv.Itoa(streams), "--run-dir", run, "--quiet",
		}
		if turns > 0 {
			args = append(args, "--backend", "openai-chat", "--dataset-name", "multi-turn", "--multi-turn-num-turns", strconv.Itoa(turns))
		}
		all, err := harness.Run(binary, args...)
		if err != nil {
			return err
		}
		report, err := harness.Run(binary, "report", run)
		if err != nil {
			return err
		}
		r.all, r.report = all.PeakMB, report.PeakMB
		if err := r.readResult(filepath.Join(run, journal.ResultName)); err != nil {
			return err
		}
		r.lines, err = countLines(filepath.Join(run, journal.FileName))
		return err
	})
}

func (r *row) readResult(path string) error {
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
	if err := harness.ReadJSON(path, &result); err != nil {
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
