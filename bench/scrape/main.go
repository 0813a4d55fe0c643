// Command scrape measures what reading a server's metrics costs the client and its times: the
// same load against the simulator, in turns without and with metrics read each second: those of
// a real vLLM, some that are as long as may be, and some that never come.
//
//	go run ./bench/scrape -binary bin/inferometer
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func main() {
	binary := harness.Binary()
	dump := flag.String("dump", filepath.Join("testdata", "metrics", "vllm_0.32_cpu_live.prom"), "metrics of a real server")
	streams := flag.Int("streams", 100, "concurrent streams")
	seconds := flag.Int("seconds", 6, "of a run")
	rounds := harness.Rounds(3)
	harness.Main("bench-scrape", func() error { return measure(*binary, *dump, *streams, *seconds, *rounds) })
}

// side is one of what is held against each other.
type side struct {
	name string
	args []string
}

func measure(binary, dump string, streams, seconds, rounds int) error {
	text, err := os.ReadFile(dump)
	if err != nil {
		return err
	}
	sim, err := subprocess.Start(binary, "--ttft", "20ms", "--itl", "10ms")
	if err != nil {
		return err
	}
	defer func() { _ = sim.Stop() }()
	// They are answered by this process, not by the client nor by its server.
	long := []byte(strings.Repeat(string(text), (4<<20)/len(text)))
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/vllm":
			_, _ = w.Write(text)
		case "/long":
			_, _ = w.Write(long)
		case "/slow":
			if first.CompareAndSwap(false, true) { // or the run would be refused
				_, _ = w.Write(text)
				return
			}
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		}
	}))
	defer metrics.Close()
	sides := []side{
		{"none", []string{"--scrape-every", "0"}},
		{"vLLM's, 53 KB", []string{"--metrics-url", metrics.URL + "/vllm"}},
		{"4 MiB", []string{"--metrics-url", metrics.URL + "/long"}},
		{"never answered", []string{"--metrics-url", metrics.URL + "/slow"}},
	}
	fmt.Printf("%d streams, TTFT 20 ms, ITL 10 ms, %d s\n%-6s %-16s %10s %12s %12s %12s %10s\n", streams, seconds, "round", "metrics", "CPU s", "TTFT p50 ms", "ITL p50 ms", "ITL p99 ms", "requests")
	for round := range rounds {
		for i := range sides {
			s := sides[(i+round)%len(sides)]
			first.Store(false)
			if err := harness.Folder(func(dir string) error { return one(dir, binary, sim.URL, s, streams, seconds, round+1) }); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

// first says that the slow one has answered its first question.
var first atomic.Bool

func one(dir, binary, url string, s side, streams, seconds, round int) error {
	cost, err := harness.Run(binary, append([]string{
		"bench", "serve", "--base-url", url, "--max-concurrency", strconv.Itoa(streams), "--duration", strconv.Itoa(seconds) + "s", "--quiet", "--progress", "none",
		"--random-input-len", "16", "--random-output-len", "64", "--run-dir", filepath.Join(dir, "run"), "--percentile-metrics", "ttft,itl",
	}, s.args...)...)
	if err != nil {
		return err
	}
	var r struct {
		TTFT50 float64 `json:"median_ttft_ms"`
		ITL50  float64 `json:"median_itl_ms"`
		ITL99  float64 `json:"p99_itl_ms"`
		Done   int     `json:"completed"`
	}
	if err := harness.ReadJSON(filepath.Join(dir, "run", journal.ResultName), &r); err != nil {
		return err
	}
	fmt.Printf("%-6d %-16s %10.2f %12.2f %12.2f %12.2f %10d\n", round, s.name, cost.CPU.Seconds(), r.TTFT50, r.ITL50, r.ITL99, r.Done)
	return nil
}
