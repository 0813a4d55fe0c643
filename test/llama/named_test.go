package llama

import (
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// Messages and Responses, whose streams have named events: all complete, and the counts
// are the server's. An answer of Messages may end before its limit, because there is no
// word for ignoring the model's end.
func TestNamedEvents(t *testing.T) {
	n, length := realserver.Requests(24, 6), 8
	s := startLlama(t, "--parallel", "4", "--ctx-size", "2048", "--no-cache-prompt")
	program := realserver.Build(t)
	for _, tt := range []struct {
		backend string
		fixed   bool
	}{
		{"anthropic", false},
		{"openai-responses", true},
	} {
		t.Run(tt.backend, func(t *testing.T) {
			prompts, outputs := s.Counter(t, promptCounter), s.Counter(t, outputCounter)
			r := realserver.StartBench(t, nil, program, "--backend", tt.backend, "--base-url", s.Base, "--dataset-name", "random",
				"--random-input-len", "16", "--random-output-len", strconv.Itoa(length), "--num-prompts", strconv.Itoa(n),
				"--max-concurrency", "4").Wait(t, 0, patience)
			if r.Completed != n || r.Failed != 0 || r.Inferometer.Outcomes["complete"] != n {
				t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
			}
			if got := s.Counter(t, promptCounter) - prompts; got != r.TotalInputTokens {
				t.Errorf("we count %d prompt tokens, the server %d", r.TotalInputTokens, got)
			}
			if got := s.Counter(t, outputCounter) - outputs; got != r.TotalOutputTokens {
				t.Errorf("we count %d output tokens, the server %d", r.TotalOutputTokens, got)
			}
			if r.TotalOutputTokens > n*length || tt.fixed && r.TotalOutputTokens != n*length {
				t.Errorf("%d output tokens, want %d", r.TotalOutputTokens, n*length)
			}
			t.Logf("%d prompt and %d output tokens, mean TTFT %.0f ms", r.TotalInputTokens, r.TotalOutputTokens, r.MeanTTFTms)
		})
	}
}
