package llama

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

// TestNative: llama.cpp's own /completion gives the tokens that its counters have, event
// by event, and its own times fit into ours. /v1/completions of the same server, with the
// same prompts, has the same totals.
func TestNative(t *testing.T) {
	n := realserver.Requests(32, 12)
	s := startLlama(t, "--parallel", "4", "--ctx-size", "4096", "--no-cache-prompt")
	program := realserver.Build(t)
	run := func(backend, folder string) *realserver.Result {
		prompts, outputs := s.Counter(t, promptCounter), s.Counter(t, outputCounter)
		r := realserver.StartBench(t, nil, program, "--backend", backend, "--base-url", s.Base, "--dataset-name", "random",
			"--num-prompts", strconv.Itoa(n), "--max-concurrency", "4", "--random-input-len", "20", "--random-output-len", "10",
			"--random-range-ratio", "0.4", "--run-dir", folder).Wait(t, 0, patience)
		if r.Completed != n || r.Inferometer.Outcomes["complete"] != n {
			t.Fatalf("%s: %d completed, outcomes %v, errors %v", backend, r.Completed, r.Inferometer.Outcomes, r.Inferometer.Errors)
		}
		if got := s.Counter(t, promptCounter) - prompts; got != r.TotalInputTokens {
			t.Errorf("%s: we count %d prompt tokens, the server %d", backend, r.TotalInputTokens, got)
		}
		if got := s.Counter(t, outputCounter) - outputs; got != r.TotalOutputTokens {
			t.Errorf("%s: we count %d output tokens, the server %d", backend, r.TotalOutputTokens, got)
		}
		checkVerdict(t, r)
		return r
	}
	folder := filepath.Join(t.TempDir(), "native")
	native, openAI := run("llamacpp", folder), run("openai", filepath.Join(t.TempDir(), "openai"))
	if native.TotalInputTokens != openAI.TotalInputTokens || native.TotalOutputTokens != openAI.TotalOutputTokens {
		t.Errorf("%d and %d tokens by /completion, %d and %d by /v1/completions",
			native.TotalInputTokens, native.TotalOutputTokens, openAI.TotalInputTokens, openAI.TotalOutputTokens)
	}
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	seen := 0
	for {
		q, err := j.Next()
		if err != nil {
			break
		}
		seen++
		tokens := 0
		for _, k := range q.Events.Tokens {
			tokens += max(k, 0)
		}
		if tokens != q.OutputTokens || q.UsageOutput != q.OutputTokens || q.FinishReason != "length" || q.Events.TokensBy != "usage" {
			t.Errorf("%s: %d tokens in its events (by %s), %d by usage, %d asked for, finish %q",
				q.ID, tokens, q.Events.TokensBy, q.UsageOutput, q.OutputTokens, q.FinishReason)
		}
		if !q.CachedKnown || q.UsageCached != 0 {
			t.Errorf("%s: %d tokens from the cache (known: %v), which is off", q.ID, q.UsageCached, q.CachedKnown)
		}
		whole := q.End - q.Sent
		if q.ServerPromptNs <= 0 || q.ServerOutputNs <= 0 || q.ServerPromptNs > q.Events.At[0] || q.ServerPromptNs+q.ServerOutputNs > whole {
			t.Errorf("%s: the server says %d ns for the prompt and %d for the answer; we saw %d to the first token and %d in all",
				q.ID, q.ServerPromptNs, q.ServerOutputNs, q.Events.At[0], whole)
		}
	}
	if seen != n {
		t.Errorf("%d requests in the journal, want %d", seen, n)
	}
	t.Logf("mean TTFT %.0f ms by /completion, %.0f by /v1/completions", native.MeanTTFTms, openAI.MeanTTFTms)
}
