package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// faults are what real servers do on a bad day, each often enough to happen thousands of times in an hour.
const faults = "truncate=0.02,error-event=0.01,http-500=0.01,http-429=0.01,reset=0.02,stall=0.01,short=0.01,empty=0.01,slow-headers=0.02"

type soak struct {
	binary  string
	length  time.Duration
	streams int
	gap     time.Duration
	every   time.Duration
	life    time.Duration
	engine  string
	folder  string
}

func (s *soak) run() error {
	if s.folder == "" {
		folder, err := os.MkdirTemp("", "soak")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		s.folder = folder
	}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return err
	}
	var urls []string
	for seed := range 2 {
		sim, err := subprocess.Start(s.binary, "--ttft", "lognormal:300ms:0.5", "--itl", s.gap.String(), "--fault", faults, "--stall", "5s", "--seed", fmt.Sprint(seed))
		if err != nil {
			return err
		}
		defer func() { _ = sim.Stop() }()
		urls = append(urls, sim.URL)
	}
	cut, err := startCutter(strings.TrimPrefix(urls[1], "http://"), s.life)
	if err != nil {
		return err
	}
	defer cut.Close()
	urls[1] = "http://" + cut.Addr()
	if err := s.load(urls); err != nil {
		return err
	}
	fmt.Printf("connections cut by the second server's balancer: %d\n", cut.Cuts())
	return judgeFolder(s.folder)
}

// load runs the one long process, and looks at it.
func (s *soak) load(urls []string) error {
	cmd := exec.Command(s.binary, s.args(urls)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(s.folder, "state"))
	out, err := os.Create(filepath.Join(s.folder, "output.txt"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	watched := make(chan error, 1)
	go func() { watched <- s.watch(ctx, cmd.Process.Pid) }()
	go scrape(ctx, filepath.Join(s.folder, "output.txt"))
	err = cmd.Wait()
	cancel()
	if watchErr := <-watched; err == nil {
		err = watchErr
	}
	if err != nil {
		text, _ := os.ReadFile(out.Name())
		return fmt.Errorf("the load ended with %w:\n%s", err, text)
	}
	return nil
}

func (s *soak) args(urls []string) []string {
	return []string{
		"bench", "serve", "--targets", strings.Join(urls, ","), "--balance", "round-robin", "--backend", "openai-chat", "--model", "sim", "--skip-tokenizer-init",
		"--engine", s.engine, "--dataset-name", "multi-turn", "--multi-turn-min-turns", "1", "--multi-turn-max-turns", "6", "--random-input-len", "24",
		"--random-output-len", "32", "--random-range-ratio", "0.5", "--think-time", "exponential:1s", "--max-concurrency", fmt.Sprint(s.streams),
		"--max-conversations", fmt.Sprint(s.streams + s.streams/5), "--duration", s.length.String(), "--request-timeout", "20s",
		"--scrape-every", "1s", "--prometheus", "127.0.0.1:0", "--prometheus-linger", "1s", "--probe-request-rate", "1",
		"--progress", "none", "--run-dir", filepath.Join(s.folder, "run"),
	}
}

// scrape reads our own metrics each second, as a Prometheus would, from where the program said they are.
func scrape(ctx context.Context, output string) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	url := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if url == "" {
			url = metricsAddress(output)
			continue
		}
		if r, err := http.Get(url); err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
	}
}

func metricsAddress(output string) string {
	b, err := os.ReadFile(output)
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(string(b)) {
		if strings.HasPrefix(word, "http://") && strings.Contains(word, "/metrics") {
			return strings.TrimRight(word, ".,;:")
		}
	}
	return ""
}
