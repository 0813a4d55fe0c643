package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/trace"
)

// A run through record, replayed through another: the same lengths, the same shared
// prefixes, and the same times.
func TestRealRecordedTrafficReplays(t *testing.T) {
	t.Parallel()
	for name, workload := range map[string][]string{
		"five prefixes": {
			"--dataset-name", "prefix_repetition", "--prefix-repetition-prefix-len", "70", "--prefix-repetition-suffix-len", "30",
			"--prefix-repetition-num-prefixes", "5", "--prefix-repetition-output-len", "6",
		},
		"many lengths": {"--random-prefix-len", "50", "--random-input-len", "60", "--random-output-len", "8", "--random-range-ratio", "0.5"},
	} {
		t.Run(name, func(t *testing.T) { recordAndReplay(t, workload) })
	}
}

func recordAndReplay(t *testing.T, workload []string) {
	dir := t.TempDir()
	tokenizer := filepath.Join(dir, "tokenizer.json")
	if err := writeTinyTokenizer(tokenizer); err != nil {
		t.Fatal(err)
	}
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "10ms", "--itl", "1ms", "--tokenizer", tokenizer))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()

	const n = 60
	pass := func(name string, args ...string) []trace.Recorded {
		out := filepath.Join(dir, name+".jsonl")
		url, stop := startRecord(t, "--base-url", server.url, "--output", out, "--tokenizer", tokenizer)
		args = append([]string{"bench", "serve", "--base-url", url, "--tokenizer", tokenizer, "--run-dir", filepath.Join(dir, name), "--quiet", "--progress", "none"}, args...)
		if said, err := exec.Command(program(t), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		stop()
		return readRecorded(t, out, n)
	}
	live := pass("live", append(workload, "--num-prompts", fmt.Sprint(n), "--request-rate", "40")...)
	again := pass("again", "--dataset-name", "trace", "--dataset-path", filepath.Join(dir, "live.jsonl"), "--trace-loop", "open", "--trace-send", "ids")

	// What must hold on any machine: lengths, what is shared with how many, and the planned times.
	a, b := shapes(live), shapes(again)
	if !slices.Equal(a, b) {
		t.Errorf("lengths and shared blocks were\n%s\nand are\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if strings.Contains(a[0], "[1 ") || !strings.HasSuffix(a[0], " 1]") {
		t.Errorf("prompts should share their beginnings and nothing else: %s", a[0])
	}
	due, late := planned(t, filepath.Join(dir, "again"))
	for i := range due {
		if want := *live[i].Timestamp - *live[0].Timestamp; math.Abs(due[i]-want) > 0.01 {
			t.Errorf("request %d is due at %.3f ms, and came at %.3f", i, due[i], want)
		}
	}
	// And what a busy machine delays: when they came. The zero is the middle of all differences,
	// as the first request is as late as any other.
	off := make([]float64, n)
	for i := range live {
		off[i] = *again[i].Timestamp - *live[i].Timestamp
	}
	middle := slices.Sorted(slices.Values(off))[n/2]
	for i := range off {
		off[i] = math.Abs(off[i] - middle)
	}
	slices.Sort(off)
	t.Logf("arrivals of the replay are off by %.2f ms (median), %.2f (p90), %.2f (at most); requests were sent up to %.2f ms late", off[n/2], off[n*9/10], off[n-1], late)
	if late < 1 && off[n*9/10] > 5 {
		t.Errorf("requests were sent in time, and arrivals are off by %.2f ms", off[n*9/10])
	}
}

// Ordinary traffic: clients stream and do not ask for usage. What is recorded of it has lengths, those that the server
// itself counts, and is replayed whole; where nobody can count, that is said at the start, in stats and at the replay.
func TestRealOrdinaryTrafficReplays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "1ms", "--itl", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	upstream, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(upstream)
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { // the same server without /tokenize
		if strings.HasSuffix(q.URL.Path, "tokenize") {
			http.NotFound(w, q)
			return
		}
		body, err := io.ReadAll(q.Body) // before the answer begins: net/http closes it then, under the proxy's hands
		if err != nil {
			t.Error(err)
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, q)
	}))
	defer mute.Close()
	const text = "one two three four five six seven eight nine ten"
	for name, c := range map[string]struct {
		target, path, body, by, said string
	}{
		"completions": {server.url, "/v1/completions", `{"model":"sim","prompt":"` + text + `","max_tokens":7,"stream":true}`, trace.ByServer, "asked of the server's /tokenize, which speaks as vLLM's does"},
		"chat":        {server.url, "/v1/chat/completions", `{"model":"sim","messages":[{"role":"user","content":"` + text + `"}],"max_tokens":7,"stream":true}`, trace.ByServer, "which speaks as vLLM's does"},
		"Ollama":      {mute.URL, "/api/chat", `{"model":"sim","messages":[{"role":"user","content":"` + text + `"}],"options":{"num_predict":7}}`, trace.ByUsage, "this server has no /tokenize and no --tokenizer was given: the lengths of prompts will be unknown unless"},
		"llama.cpp":   {mute.URL, "/completion", `{"prompt":"` + text + `","n_predict":7,"stream":true}`, trace.ByUsage, "this server has no /tokenize"},
		"nobody":      {mute.URL, "/v1/completions", `{"model":"sim","prompt":"` + text + `","max_tokens":7,"stream":true}`, "", "this server has no /tokenize"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name+".jsonl")
			front, stop := startRecord(t, "--base-url", c.target, "--output", out)
			for range 5 {
				a, err := http.Post(front+c.path, "application/json", strings.NewReader(c.body))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, a.Body); err != nil || a.StatusCode != 200 {
					t.Fatal(a.StatusCode, err)
				}
				_ = a.Body.Close()
			}
			said := stop()
			if !strings.Contains(said, c.said) {
				t.Errorf("it said %s", said)
			}
			stats, err := exec.Command(program(t), "trace", "stats", out).CombinedOutput()
			if err != nil {
				t.Fatalf("%v %s", err, stats)
			}
			replay, err := exec.Command(program(t), "bench", "serve", "--base-url", server.url, "--dataset-name", "trace", "--dataset-path", out, "--trace-speed", "1000", "--skip-tokenizer-init", "--run-dir", filepath.Join(dir, name), "--progress", "none").CombinedOutput()
			if c.by == "" {
				if !strings.Contains(said, "5 of unknown length") || !strings.Contains(said, "--tokenizer, or clients that ask for usage") || !regexp.MustCompile(`input +n/a`).Match(stats) || !strings.Contains(string(replay), "5 of unknown length") {
					t.Errorf("it said %s\nstats %s\nreplay %s", said, stats, replay)
				}
				return
			}
			if err != nil || !strings.Contains(said, "0 of unknown length") || strings.Contains(string(stats), "n/a") || !regexp.MustCompile(`Successful requests: +5`).Match(replay) {
				t.Errorf("it said %s\nstats %s\nreplay %v %s", said, stats, err, replay)
			}
			data, _ := os.ReadFile(out)
			if n := strings.Count(string(data), `"input_by":"`+c.by+`"`); n != 5 || strings.Count(string(data), `"output_length":7`) != 5 {
				t.Errorf("%d by %s: %s", n, c.by, data)
			}
		})
	}
}

// shapes are the lengths of each row and with how many rows it shares each block, in an order
// that does not depend on which of two close requests came first.
func shapes(rows []trace.Recorded) (list []string) {
	with := map[uint64]int{}
	for _, r := range rows {
		for _, id := range r.IDs {
			with[id]++
		}
	}
	for _, r := range rows {
		shared := make([]int, len(r.IDs))
		for i, id := range r.IDs {
			shared[i] = with[id]
		}
		list = append(list, fmt.Sprint(*r.Input, *r.Output, r.Block, shared))
	}
	slices.Sort(list)
	return list
}

// startRecord starts the proxy on a free port; stop ends it and waits for its rows.
func startRecord(t *testing.T, args ...string) (url string, stop func() (said string)) {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"record", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	line, _ := said.ReadString('\n')
	_, rest, _ := strings.Cut(line, "inferometer record: ")
	url, _, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(url, "http://") {
		_ = cmd.Process.Kill()
		t.Fatalf("it said %q (%v)", line, cmd.Wait())
	}
	return url, func() string {
		_ = cmd.Process.Signal(os.Interrupt)
		words, _ := io.ReadAll(said)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, words)
		}
		return string(words)
	}
}

func readRecorded(t *testing.T, name string, n int) (rows []trace.Recorded) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r trace.Recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Outcome != "complete" || r.Input == nil || r.Output == nil || r.InputBy != trace.ByUsage {
			t.Fatalf("%s", line)
		}
		rows = append(rows, r)
	}
	if len(rows) != n {
		t.Fatalf("%d rows of %d", len(rows), n)
	}
	return rows
}

// planned is when a run's requests were due, in ms from the first, by their index, and by how
// much the latest was late.
func planned(t *testing.T, run string) (due []float64, late float64) {
	t.Helper()
	j, err := journal.Open(filepath.Join(run, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	at := map[int]int64{}
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !r.Warmup {
			at[r.Index] = r.Due
			late = max(late, float64(r.Sent-r.Due)/1e6)
		}
	}
	due = make([]float64, len(at))
	for i := range due {
		due[i] = float64(at[i]-at[0]) / 1e6
	}
	return due, late
}
