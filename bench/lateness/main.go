// Command lateness measures how late an open loop sends: against the simulator,
// at a constant rate, in several rounds.
//
//	make bench-lateness
//	go run ./bench/lateness -pin
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func main() {
	binary := harness.Binary()
	rate := flag.Int("rate", 2000, "requests a second")
	seconds := flag.Int("seconds", 10, "length of a round")
	rounds := harness.Rounds(3)
	pinned := flag.Bool("pin", false, "give the client the first processor and the simulator the second (Linux)")
	harness.Main("bench-lateness", func() error {
		runtime.LockOSThread() // a child has the processors of the thread that starts it
		for range *rounds {
			if err := round(*binary, *rate, *seconds, *pinned); err != nil {
				return err
			}
		}
		return nil
	})
}

func round(binary string, rate, seconds int, pinned bool) error {
	if pinned {
		if err := pin(1); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "bench-lateness")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sim, err := subprocess.Start(binary, "--ttft", "5ms", "--itl", "2ms")
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	if pinned {
		if err := pin(0); err != nil {
			return err
		}
	}
	_, before := client.Times()
	out, err := exec.Command(binary, "bench", "serve", "--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init",
		"--random-input-len", "16", "--random-output-len", "4", "--num-prompts", strconv.Itoa(rate*seconds),
		"--request-rate", strconv.Itoa(rate), "--burstiness", "inf", "--run-dir", dir, "--quiet").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	_, after := client.Times()
	type spread struct {
		P50 float64 `json:"p50_ms"`
		P99 float64 `json:"p99_ms"`
	}
	var result struct {
		Completed   int
		Inferometer struct {
			Client struct {
				Late    spread `json:"lateness"`
				Release spread `json:"release_lag"`
			}
		}
	}
	if err := harness.ReadJSON(filepath.Join(dir, journal.ResultName), &result); err != nil {
		return err
	}
	c := result.Inferometer.Client
	fmt.Printf("%d req/s, %d complete: sent %.3f ms late (median), %.3f ms (p99); the dispatcher itself %.3f and %.3f ms; %v of all processors taken away by the hypervisor\n",
		rate, result.Completed, c.Late.P50, c.Late.P99, c.Release.P50, c.Release.P99, time.Duration(after-before))
	return nil
}
