// Package ollama tests the built program against the real Ollama with a real small
// model. `make test-ollama` gets both and runs it.
//
// What Ollama does, found by these tests: its OpenAI-compatible chat is bounded by
// max_tokens alone and ignores max_completion_tokens, ignore_eos and all else that it
// does not know; it has no /tokenize and no /metrics; it names itself by the owner
// "library" in /v1/models and at /api/version.
package ollama

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

const asked = 16 // tokens of an answer

// startOllama starts Ollama, or skips where there is none.
func startOllama(t *testing.T) *realserver.Server {
	t.Helper()
	where := realserver.Lines(t, "INFEROMETER_OLLAMA", 2, "make test-ollama")
	port := realserver.FreePort(t)
	env := []string{"OLLAMA_HOST=127.0.0.1:" + port, "OLLAMA_MODELS=" + where[1], "OLLAMA_NUM_PARALLEL=4", "HOME=" + t.TempDir()}
	return realserver.StartAs(t, port, "/api/version", 10*time.Minute, env, where[0], "serve")
}

// stories is a dataset of prompts to which a model has more to say than it is asked for.
func stories(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"prompt\": \"Tell me a very long story about a town with %d houses.\"}\n", i+1)
	}
	path := filepath.Join(t.TempDir(), "stories.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Chat answers have the length asked for, though Ollama does not know the field that
// vLLM's client asks with.
func TestChatHasTheLengthAskedFor(t *testing.T) {
	n := realserver.Requests(64, 12) // its threads spin: on a busy machine an answer takes minutes
	s := startOllama(t)
	r := realserver.StartBench(t, nil, realserver.Build(t), "--backend", "openai-chat", "--base-url", s.Base, "--model", "smollm2",
		"--skip-tokenizer-init", "--dataset-name", "custom", "--dataset-path", stories(t, n), "--custom-output-len", fmt.Sprint(asked),
		"--num-prompts", fmt.Sprint(n), "--max-concurrency", "4", "--num-warmups", "1").Wait(t, 0, 15*time.Minute)
	if r.Completed != n || r.Inferometer.Outcomes["complete"] != n {
		t.Fatalf("%d completed, outcomes %v, errors %v", r.Completed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	if !strings.Contains(r.Stderr, "the server is Ollama") {
		t.Errorf("Ollama was not recognised:\n%s", r.Stderr)
	}
	for i, got := range r.OutputLens {
		if got > asked {
			t.Errorf("answer %d has %d tokens, %d were asked for", i, got, asked)
		}
	}
	if r.TotalOutputTokens < n*asked*9/10 { // a story may end early, but not many do
		t.Errorf("%d tokens in all, %d were asked for", r.TotalOutputTokens, n*asked)
	}
}
