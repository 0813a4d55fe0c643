package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/bench/client"
	"github.com/inferometer/inferometer/internal/check/selftest"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// round runs a load once: a fresh simulator, and a bench serve as a user would start it.
func (r *selftestRun) round(ctx context.Context, load selftest.Load) (*selftest.Errors, error) {
	dir, err := os.MkdirTemp(r.folder, "round-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	truth := filepath.Join(dir, "truth.jsonl")
	sim, err := subprocess.Start(r.program, simulatorFlags(load, truth)...)
	if err != nil {
		return nil, err
	}
	said, err := r.bench(ctx, load, sim.URL, dir)
	if stopErr := sim.Stop(); stopErr != nil {
		return nil, stopErr
	}
	found := filepath.Join(dir, "run", journal.FileName)
	if _, statErr := os.Stat(found); statErr != nil || ctx.Err() != nil || errors.Is(err, errTooLong) {
		return nil, fmt.Errorf("%w%s", err, said)
	}
	return selftest.Join(found, truth)
}

// simulatorFlags make a server that decodes in steps: each step brings all streams
// their next token at once, as the engines do. That is harder on a client than
// tokens that come evenly. Work and memory cost it nothing.
func simulatorFlags(load selftest.Load, truth string) []string {
	room := strconv.Itoa(1000 * (load.Streams + 1000))
	return []string{
		"--truth", truth, "--engine", "batch", "--step-base", load.ITL.String(), "--step-per-prefill-token", "0s", "--step-per-sequence", "0s",
		"--step-per-cached-token", "0s", "--max-num-seqs", room, "--max-num-batched-tokens", room, "--num-blocks", room, "--no-prefix-cache",
	}
}

// othersWork is how long the processors have worked for other programs since the
// machine was started, without what was not waited for yet; -1: not told.
func othersWork() time.Duration {
	all := client.Work()
	if all < 0 {
		return -1
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return -1
		}
		all -= u.Utime.Nano() + u.Stime.Nano()
	}
	return time.Duration(all)
}

// sharedOut is the share of all processors that work over a time is; nil: not told.
func sharedOut(work, over, before time.Duration) *float64 {
	if before < 0 || over <= 0 {
		return nil
	}
	share := max(float64(work)/float64(over)/float64(runtime.NumCPU()), 0)
	return &share
}

// errTooLong is a round that was ended by us: the load was too much.
var errTooLong = errors.New("it took more than twice its time")

// bench runs bench serve and returns what it said, if it failed.
func (r *selftestRun) bench(ctx context.Context, load selftest.Load, url, dir string) (said string, err error) {
	limit := min(2*load.Takes()+time.Second, time.Until(r.until))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, "bench", "serve", "--backend", "vllm", "--base-url", url, "--model", "sim",
		"--dataset-name", "random", "--random-input-len", "128", "--random-output-len", strconv.Itoa(load.Tokens), "--skip-tokenizer-init",
		"--request-rate", strconv.FormatFloat(load.RequestsPerS(), 'f', -1, 64), "--burstiness", "inf",
		"--num-prompts", strconv.Itoa(load.Requests()), "--engine", r.engine, "--run-dir", filepath.Join(dir, "run"), "--quiet", "--progress", "none")
	cmd.Args[0] = "inferometer"
	// A state folder of its own: a self-test is nothing that later runs should know of.
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "NO_PROXY=*", "no_proxy=*")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err = cmd.Run(); err == nil {
		return "", nil
	}
	if context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		said = ": " + last
	}
	return said, err
}
