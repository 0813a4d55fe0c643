// Command view measures what the live view costs: the same run on a terminal with it and
// without it, in turns, and the processor time of the client in both.
//
//	go run ./bench/view -binary bin/inferometer
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

type config struct {
	binary          string
	streams, tokens int
	itl             time.Duration
	rounds          int
	limit           float64
}

func main() {
	var c config
	harness.BinaryVar(&c.binary)
	flag.IntVar(&c.streams, "streams", 10_000, "streams at once, one request each")
	flag.IntVar(&c.tokens, "tokens", 24, "tokens of a stream")
	flag.DurationVar(&c.itl, "itl", 350*time.Millisecond, "the time between them")
	flag.IntVar(&c.rounds, "rounds", 4, "pairs of runs")
	flag.Float64Var(&c.limit, "limit", 0.02, "the highest share that the view may cost")
	harness.Main("bench-view", c.run)
}

func (c *config) run() error {
	binary, err := filepath.Abs(c.binary)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "view")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sim, err := subprocess.Start(binary, "--ttft", "1s", "--itl", c.itl.String())
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	url := sim.URL
	fmt.Printf("%d streams of %d tokens, one each %s, at 80×24\n\n| round | none, CPU s | live, CPU s | ratio |\n|---|---|---|---|\n", c.streams, c.tokens, c.itl)
	var ratios []float64
	for round := range c.rounds {
		order := []string{"none", "live"}
		if round%2 == 1 {
			order = []string{"live", "none"}
		}
		used := map[string]float64{}
		for _, progress := range order {
			if used[progress], err = c.once(binary, url, filepath.Join(folder, fmt.Sprint(round, progress)), progress); err != nil {
				return fmt.Errorf("%s: %w", progress, err)
			}
		}
		ratio := used["live"] / used["none"]
		ratios = append(ratios, math.Log(ratio))
		fmt.Printf("| %d | %.2f | %.2f | %.3f |\n", round+1, used["none"], used["live"], ratio)
	}
	mean, half := interval(ratios)
	low, high := math.Exp(mean-half), math.Exp(mean+half)
	fmt.Printf("\nratio %.3f, twice its standard error from %.3f to %.3f; the limit is %.3f\n", math.Exp(mean), low, high, 1+c.limit)
	if low > 1+c.limit {
		return fmt.Errorf("the view costs more than %g %% of the client's processor time", c.limit*100)
	}
	return nil
}

// interval is the mean, and twice its standard error.
func interval(values []float64) (mean, half float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, 2 * math.Sqrt(sum/max(n-1, 1)/n)
}

// once runs the client on a terminal of its own and gives the processor time that it used.
func (c *config) once(binary, url, folder, progress string) (float64, error) {
	cmd := exec.Command(binary, "bench", "serve", "--base-url", url, "--progress", progress, "--run-dir", folder,
		"--num-prompts", strconv.Itoa(c.streams), "--max-concurrency", strconv.Itoa(c.streams), "--skip-tokenizer-init",
		"--random-input-len", "8", "--random-output-len", strconv.Itoa(c.tokens), "--ignore-eos", "--seed", "1")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "SSH_TTY=x")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		return 0, err
	}
	defer master.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // its end is an error on Linux: the terminal has gone
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() > 3 {
		return 0, fmt.Errorf("%w: %s", err, shown.Bytes()[max(shown.Len()-2000, 0):])
	}
	if view := bytes.Contains(shown.Bytes(), []byte("\x1b[?1049h")); view != (progress == "live") {
		return 0, fmt.Errorf("the view was open: %v", view)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds(), nil
}
