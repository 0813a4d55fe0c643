package vllm

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/test/realserver"
)

// TestServerMetrics: vLLM's own metrics are read on the way, summarised and drawn; what it
// counts is what we count, in requests, tokens and first tokens.
func TestServerMetrics(t *testing.T) {
	v := installed(t)
	s := v.start(t)
	program, folder := realserver.Build(t), filepath.Join(t.TempDir(), "run")
	const n, warmups = 32, 2
	r := realserver.StartBench(t, nil, program, "--backend", "vllm", "--base-url", s.Base, "--model", "tiny", "--tokenizer", v.model, "--dataset-name", "random",
		"--random-input-len", "64", "--random-output-len", "24", "--num-prompts", "32", "--max-concurrency", "8", "--num-warmups", "2", "--ignore-eos",
		"--scrape-every", "200ms", "--run-dir", folder).Wait(t, 0, 5*time.Minute)
	if r.Completed != n {
		t.Fatalf("%d of %d were completed", r.Completed, n)
	}
	report := func(format string) []byte {
		out, err := exec.Command(program, "report", "--format", format, folder).Output()
		if err != nil {
			t.Fatalf("report --format %s: %v", format, err)
		}
		return out
	}
	var result struct {
		Inferometer struct{ Server *serving.Summary }
	}
	if err := json.Unmarshal(report("json"), &result); err != nil {
		t.Fatal(err)
	}
	sum := result.Inferometer.Server
	if sum == nil || sum.Kind != "vLLM" || len(sum.Notes) > 0 {
		t.Fatalf("%+v", sum)
	}
	for name, c := range map[string]*serving.Counted{"requests": sum.Requests, "prompt tokens": sum.PromptTokens, "generated tokens": sum.GeneratedTokens} {
		if c == nil || c.Difference == nil || *c.Difference != 0 || c.Server != *c.Ours || c.Server == 0 {
			t.Errorf("%s: %+v", name, c)
			continue
		}
		t.Logf("%s: the server's %v, ours %v", name, c.Server, *c.Ours)
	}
	for name, h := range map[string]*serving.Times{"TTFT": sum.TTFT, "queue": sum.Queue, "prefill": sum.Prefill, "decode": sum.Decode, "end to end": sum.E2E} {
		if h == nil || h.Count != n+warmups || h.P50 == nil || h.P99 == nil {
			t.Errorf("%s: %+v", name, h)
			continue
		}
		t.Logf("%s: mean %.1f ms, p50 %.1f ms or more", name, h.Mean, h.P50.Low)
	}
	if sum.Running == nil || sum.Running.Max < 1 || sum.Running.Max > 8 || sum.CacheUse == nil || sum.Preemptions == nil || sum.PrefixHitRate == nil {
		t.Errorf("%+v", sum.Server)
	}
	page := report("html")
	for _, words := range []string{"vLLM by its own metrics", "vllm: running", "vllm: generated tokens per second", "vllm: KV cache in use"} {
		if !bytes.Contains(page, []byte(words)) {
			t.Errorf("the page lacks %q", words)
		}
	}
}
