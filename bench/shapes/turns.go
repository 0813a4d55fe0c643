package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// test is one shape, as both programs take it.
type test struct{ name, prompt, gen string }

// bench knows both programs and the server.
type bench struct {
	binary, server, llamaBench, model string
	threads                           int
	address                           string
	state                             string // where our program keeps its runs
}

// result is what both write under the same key, and what only ours does.
type result struct {
	Rate       float64 `json:"avg_ts"`
	ServerRate float64 `json:"server_avg_ts"`
}

// common are the settings that llama-server and llama-bench share, with llama-bench's
// defaults written out.
func (b *bench) common() []string {
	return []string{
		"--threads", strconv.Itoa(b.threads), "--batch-size", "2048", "--ubatch-size", "512",
		"--cache-type-k", "f16", "--cache-type-v", "f16", "--flash-attn", "auto",
	}
}

// start starts the server, one slot of 1024 tokens, and waits until it is healthy.
func (b *bench) start() (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.address = l.Addr().String()
	_, port, _ := net.SplitHostPort(b.address) // it is an address
	if err := l.Close(); err != nil {
		return nil, err
	}
	if b.state, err = os.MkdirTemp("", "bench-shapes"); err != nil {
		return nil, err
	}
	cmd := exec.Command(b.server, append([]string{
		"--model", b.model, "--host", "127.0.0.1", "--port", port,
		"--parallel", "1", "--ctx-size", "1024", "--no-webui", "--threads-batch", strconv.Itoa(b.threads),
	}, b.common()...)...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
		_ = os.RemoveAll(b.state)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		resp, err := http.Get("http://" + b.address + "/health")
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return stop, nil
		}
	}
	stop()
	return nil, fmt.Errorf("llama-server was not healthy within a minute")
}

// both measures a test with one program after the other, once each.
func (b *bench) both(t test, theirsFirst bool) (theirs, ours result, err error) {
	if theirsFirst {
		if theirs, err = b.theirs(t); err != nil {
			return
		}
	}
	if ours, err = b.ours(t); err != nil || theirsFirst {
		return
	}
	theirs, err = b.theirs(t)
	return
}

func (b *bench) theirs(t test) (result, error) {
	return b.run(exec.Command(b.llamaBench, append([]string{"--model", b.model, "-p", t.prompt, "-n", t.gen, "-r", "1", "-o", "json"}, b.common()...)...))
}

// ours samples as cheaply as can be: llama-bench does not sample at all.
func (b *bench) ours(t test) (result, error) {
	return b.run(exec.Command(b.binary, "bench", "shapes", "--base-url", "http://"+b.address, "-p", t.prompt, "-n", t.gen, "-r", "1", "-o", "json",
		"--quiet", "--temperature", "0", "--top-k", "1"))
}

func (b *bench) run(cmd *exec.Cmd) (result, error) {
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.state)
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", cmd, err)
	}
	var rows []result
	if err := json.Unmarshal(out, &rows); err != nil || len(rows) != 1 || rows[0].Rate <= 0 {
		return result{}, fmt.Errorf("%s gave no rate (%v): %.200s", cmd, err, out)
	}
	return rows[0], nil
}
