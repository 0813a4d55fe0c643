// Command record measures what inferometer record adds to the time of tokens: the same load
// against the simulator, directly and through the proxy in turns, with the kernel's times.
//
//	make bench-record
//
// What else runs on a machine only adds to a time, now to this side and now to the other: the
// difference of a round may be that alone, in either direction. So each side's best round counts, and
// their difference is what the proxy adds. Where even the best direct round has a p99 that is
// farther from its median than the limit, the machine can't tell, and that is the answer.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

type options struct {
	binary                            string
	streams, requests, tokens, rounds int
	most                              float64
}

// figures are those of a run, in ms.
type figures struct {
	TTFT50 float64 `json:"median_ttft_ms"`
	TTFT99 float64 `json:"p99_ttft_ms"`
	ITL50  float64 `json:"median_itl_ms"`
	ITL99  float64 `json:"p99_itl_ms"`
	Done   int     `json:"completed"`
}

func main() {
	var o options
	harness.BinaryVar(&o.binary)
	flag.IntVar(&o.streams, "streams", 16, "concurrent streams")
	flag.IntVar(&o.requests, "requests", 320, "requests of a run")
	flag.IntVar(&o.tokens, "tokens", 40, "tokens of an answer")
	flag.IntVar(&o.rounds, "rounds", 5, "interleaved rounds")
	flag.Float64Var(&o.most, "max", 0, "fail if it adds more than this to TTFT or ITL at p99, in ms, or the machine can't tell; 0: don't")
	harness.Main("bench-record", func() error { return measure(o) })
}

func measure(o options) error {
	sim, err := subprocess.Start(o.binary, "--ttft", "20ms", "--itl", "5ms")
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	dir, err := os.MkdirTemp("", "bench-record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	url, stop, err := recorder(o.binary, sim.URL, filepath.Join(dir, "traffic.jsonl"))
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%d streams, TTFT 20 ms, ITL 5 ms; added by the proxy, ms\n%-6s %10s %10s %10s %10s %8s\n", o.streams, "round", "TTFT p50", "TTFT p99", "ITL p50", "ITL p99", "steal")
	none := figures{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), 0}
	direct, through := none, none
	for i := range o.rounds {
		began := time.Now()
		_, stolen := client.Times()
		first, second := sim.URL, url
		if i%2 == 1 { // each is first in turn
			first, second = url, sim.URL
		}
		a, err := run(o, first, filepath.Join(dir, fmt.Sprint("a", i)))
		if err != nil {
			return err
		}
		b, err := run(o, second, filepath.Join(dir, fmt.Sprint("b", i)))
		if err != nil {
			return err
		}
		if i%2 == 1 {
			a, b = b, a
		}
		fmt.Printf("%-6d %10.3f %10.3f %10.3f %10.3f %7.1f%%\n", i+1, b.TTFT50-a.TTFT50, b.TTFT99-a.TTFT99, b.ITL50-a.ITL50, b.ITL99-a.ITL99, stolenShare(began, stolen))
		direct, through = direct.best(a), through.best(b)
	}
	for _, side := range []struct {
		name string
		figures
	}{{"direct", direct}, {"proxy", through}} {
		fmt.Printf("best of %-6s: TTFT p50 %.3f, p99 %.3f; ITL p50 %.3f, p99 %.3f ms\n", side.name, side.TTFT50, side.TTFT99, side.ITL50, side.ITL99)
	}
	added := max(through.TTFT99-direct.TTFT99, through.ITL99-direct.ITL99)
	fmt.Printf("added at p99, by each side's best rounds: TTFT %.3f, ITL %.3f ms\n", through.TTFT99-direct.TTFT99, through.ITL99-direct.ITL99)
	switch noise := max(direct.TTFT99-direct.TTFT50, direct.ITL99-direct.ITL50); {
	case o.most > 0 && noise > o.most:
		return fmt.Errorf("undecided: without the proxy p99 is %.3f ms above the median already; this machine is too busy to tell %.3f ms", noise, o.most)
	case o.most > 0 && added > o.most:
		return fmt.Errorf("that is more than %.3f ms", o.most)
	}
	return nil
}

// best is the lowest of each figure.
func (f figures) best(g figures) figures {
	return figures{min(f.TTFT50, g.TTFT50), min(f.TTFT99, g.TTFT99), min(f.ITL50, g.ITL50), min(f.ITL99, g.ITL99), g.Done}
}

// recorder starts the proxy and reads its address.
func recorder(binary, target, out string) (url string, stop func(), err error) {
	cmd := exec.Command(binary, "record", "--base-url", target, "--listen", "127.0.0.1:0", "--output", out)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "inferometer record: "); ok {
			url, _, _ = strings.Cut(rest, " ")
			return url, func() {
				_ = cmd.Process.Signal(os.Interrupt)
				for lines.Scan() {
				}
				_ = cmd.Wait()
			}, nil
		}
	}
	return "", nil, errors.Join(errors.New("the proxy did not start"), cmd.Wait())
}

func run(o options, url, dir string) (f figures, err error) {
	_, err = harness.Run(o.binary, "bench", "serve", "--base-url", url, "--model", "sim", "--skip-tokenizer-init",
		"--random-input-len", "256", "--random-output-len", strconv.Itoa(o.tokens), "--num-prompts", strconv.Itoa(o.requests), "--max-concurrency", strconv.Itoa(o.streams),
		"--metric-percentiles", "50,99", "--run-dir", dir, "--quiet", "--progress", "none")
	if err == nil {
		err = harness.ReadJSON(filepath.Join(dir, journal.ResultName), &f)
	}
	if err == nil && f.Done != o.requests {
		err = fmt.Errorf("%d of %d requests complete", f.Done, o.requests)
	}
	return f, err
}

// stolenShare is how much of the processors' time the hypervisor took since then, in percent.
func stolenShare(began time.Time, before int64) float64 {
	_, now := client.Times()
	return 100 * float64(now-before) / (float64(time.Since(began)) * float64(runtime.NumCPU()))
}
