//go:build linux

package routers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/test/realserver"
)

// replica is a simulator as a process.
type replica struct {
	*realserver.Server
	truth string
}

// startReplica starts one with the flags.
func startReplica(t testing.TB, flags ...string) *replica {
	t.Helper()
	port := realserver.FreePort(t)
	r := &replica{truth: filepath.Join(t.TempDir(), "truth.jsonl")}
	r.Server = realserver.Start(t, port, time.Minute, nil, program, append([]string{
		"sim", "--listen", "127.0.0.1:" + port, "--model", model, "--truth", r.truth, "--truth-at-once",
	}, flags...)...)
	return r
}

// records are the requests that the simulator has seen to their end so far, in the order of these ends.
func (r *replica) records(t testing.TB) []sim.Record {
	t.Helper()
	data, err := os.ReadFile(r.truth)
	if err != nil {
		t.Fatal(err)
	}
	var list []sim.Record
	for line := range bytes.Lines(data) {
		var one sim.Record
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, one)
	}
	return list
}

// run is what our program made of a load: its journal and its result.
type run struct {
	*realserver.Result
	journal.Run
	requests []*journal.Request // those that are measured
	scrapes  []journal.Scrape
	faults   []journal.Fault
}

// bench sends n prompts of their own through the address and reads what is left of it.
func bench(t testing.TB, base string, n, code int, flags ...string) *run {
	t.Helper()
	return wait(t, startBench(t, base, n, flags...), code)
}

// startBench starts it.
func startBench(t testing.TB, base string, n int, flags ...string) *realserver.Bench {
	t.Helper()
	for _, usual := range [][2]string{{"--custom-output-len", "8"}, {"--model", model}} {
		if !slices.Contains(flags, usual[0]) {
			flags = append(flags, usual[0], usual[1])
		}
	}
	return realserver.StartBench(t, []string{"OPENAI_API_KEY=" + key}, program, append([]string{
		"--backend", "openai-chat", "--base-url", base, "--skip-tokenizer-init", "--dataset-name", "custom", "--dataset-path", prompts(t, n),
		"--ignore-eos", "--num-prompts", fmt.Sprint(n), "--run-dir", "run",
	}, flags...)...)
}

// wait waits for its end.
func wait(t testing.TB, b *realserver.Bench, code int) *run {
	t.Helper()
	result := b.Wait(t, code, 5*time.Minute)
	out := read(t, filepath.Join(b.Dir, "run"))
	out.Result = result
	return out
}

// read reads the journal of a run's folder.
func read(t testing.TB, dir string) *run {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "journal.jsonl*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: journals %v, %v", dir, found, err)
	}
	r, err := journal.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := &run{Run: *r.Run()}
	for {
		one, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !one.Warmup {
			copied := *one
			copied.Events.At = slices.Clone(one.Events.At) // the reader uses its memory again
			out.requests = append(out.requests, &copied)
		}
	}
	out.scrapes, out.faults = r.Scrapes(), r.Faults()
	return out
}

// each are the replicas of the result.
func (r *run) each(t testing.TB) []replicaResult {
	t.Helper()
	var own struct {
		Replicas struct{ Each []replicaResult }
	}
	if err := json.Unmarshal(r.Fields["inferometer"], &own); err != nil {
		t.Fatal(err)
	}
	return own.Replicas.Each
}

// replicaResult is one of them.
type replicaResult struct {
	Name                string
	Requests, Completed int
	Tokens              int `json:"total_output_tokens"`
}

// check is what a check of the verdict found.
func (r *run) check(t testing.TB, name string) verdict.Check {
	t.Helper()
	at := slices.IndexFunc(r.Inferometer.Verdict.Checks, func(k verdict.Check) bool { return k.Name == name })
	if at < 0 {
		t.Fatalf("there is no check %s", name)
	}
	return r.Inferometer.Verdict.Checks[at]
}

// prompts is a dataset of n prompts.
func prompts(t testing.TB, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"prompt\": \"Tell me a very long story about a town with %d houses.\"}\n", i+1)
	}
	path := filepath.Join(t.TempDir(), "prompts.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
