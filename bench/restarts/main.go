// Command restarts loads a simulated server that is ended and started again 100 times meanwhile, and holds the
// journal against what all of these servers have written down: no request may be lost or counted twice, an answer
// that is called complete must have been one, and descriptors must not grow.
//
//	make bench-restarts
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func main() {
	binary := harness.Binary()
	restarts := flag.Int("restarts", 100, "how often the server is ended and started again")
	every := flag.Duration("every", 500*time.Millisecond, "how long each server lives")
	streams := flag.Int("streams", 50, "concurrent streams of the closed loop; the open loop sends as many a second")
	flag.Parse()
	fmt.Printf("%-10s %-8s %9s %9s %9s %9s %9s %9s %9s %8s %9s  %s\n", "engine", "loop", "restarts", "requests", "complete", "refused", "reset", "truncated", "other", "unproven", "files", "")
	failed := false
	for _, engine := range []string{"loop", "nethttp"} {
		for _, open := range []bool{false, true} {
			r := &run{binary: *binary, engine: engine, open: open, restarts: *restarts, every: *every, streams: *streams}
			if err := r.measure(); err != nil {
				fmt.Fprintf(os.Stderr, "bench-restarts: %s, %s: %v\n", engine, r.word(), err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

type run struct {
	binary, engine string
	open           bool
	restarts       int
	every          time.Duration
	streams        int
	folder         string
	kills          []int64 // when servers were killed, since 1970
}

func (r *run) word() string {
	if r.open {
		return "open"
	}
	return "closed"
}

func (r *run) measure() error {
	var err error
	if r.folder, err = os.MkdirTemp("", "bench-restarts"); err != nil {
		return err
	}
	defer os.RemoveAll(r.folder)
	sim, err := r.server("127.0.0.1:0", 0)
	if err != nil {
		return err
	}
	address := sim.Addr()
	// It goes on until it is told to end, when the last server is there.
	cmd := exec.Command(r.binary, r.args(sim.URL)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+r.folder)
	out, err := os.Create(filepath.Join(r.folder, "output.txt"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	for i := 1; i <= r.restarts && err == nil; i++ {
		time.Sleep(r.every)
		if i%2 == 0 {
			r.kills = append(r.kills, time.Now().UnixNano())
			sim.Kill()
		} else if err = sim.Stop(); err != nil {
			break
		}
		sim, err = r.server(address, i)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	time.Sleep(r.every)
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait() // its exit code says that it was interrupted; the journal says the rest
	if err := sim.Stop(); err != nil {
		return err
	}
	return r.judge()
}

func (r *run) server(address string, i int) (sim *subprocess.Sim, err error) {
	for range 50 { // the one before may hold the port for a moment
		sim, err = subprocess.Start(r.binary, "--listen", address, "--ttft", "20ms", "--itl", "5ms", "--truth-at-once", "--truth", filepath.Join(r.folder, fmt.Sprintf("truth-%d.jsonl", i)))
		if err == nil {
			return sim, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

func (r *run) args(url string) []string {
	args := []string{
		"bench", "serve", "--details", "--base-url", url, "--model", "sim", "--skip-tokenizer-init", "--engine", r.engine, "--random-input-len", "16", "--random-output-len", "16",
		"--duration", "1h", "--request-timeout", "10s", "--scrape-every", "1s", "--progress", "none", "--request-id-prefix", "restart-", "--run-dir", filepath.Join(r.folder, "run"),
	}
	if r.open {
		return append(args, "--request-rate", fmt.Sprint(r.streams))
	}
	return append(args, "--max-concurrency", fmt.Sprint(r.streams))
}
