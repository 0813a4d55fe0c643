package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

type options struct {
	binary, backend, itl              string
	streams, requests, tokens, rounds int
	tls                               bool
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
	url, stop, err := startSim(o, truthPath)
	if err != nil {
		return result{}, err
	}
	bench := exec.Command(o.binary, "bench", "serve", "--backend", o.backend, "--base-url", url, "--insecure", "--model", "sim",
		"--dataset-name", "random", "--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens),
		"--num-prompts", strconv.Itoa(o.requests), "--max-concurrency", strconv.Itoa(o.streams), "--run-dir", runDir, "--quiet")
	out, err := bench.CombinedOutput()
	if stopErr := stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return result{}, fmt.Errorf("bench serve: %w\n%s", err, out)
	}
	return join(filepath.Join(runDir, "journal.jsonl.zst"), truthPath)
}

// startSim starts the simulator on a free port and returns its URL.
func startSim(o options, truthPath string) (url string, stop func() error, err error) {
	args := []string{"sim", "--listen", "127.0.0.1:0", "--ttft", "50ms", "--itl", o.itl, "--truth", truthPath}
	if o.tls {
		args = append(args, "--tls")
	}
	cmd := exec.Command(o.binary, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return cmd.Wait()
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), " at "); ok {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return strings.TrimSpace(after), stop, nil
		}
	}
	return "", nil, fmt.Errorf("the simulator did not start: %w", cmd.Wait())
}
