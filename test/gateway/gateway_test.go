// Package gateway tests the built program against the real LiteLLM proxy in front of
// llama.cpp's real llama-server: streams of chat, Messages and Responses that a gateway
// has made out of another protocol's. `make test-gateway` gets both and runs it.
//
// What LiteLLM 1.106 does, found by these tests: its chat has usage in an event that
// has a choice too; its Messages say the prompt's tokens only at the end, with those that
// came from a cache among them; its Responses have no event names, and end with [DONE].
package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

const (
	asked         = 8 // tokens of an answer
	promptCounter = "llamacpp:prompt_tokens_total"
	outputCounter = "llamacpp:tokens_predicted_total"
	key           = "sk-test"
)

// servers starts llama-server and LiteLLM before it, or skips where they are not.
func servers(t *testing.T) (llama, gateway *realserver.Server) {
	t.Helper()
	command := realserver.Lines(t, "INFEROMETER_LITELLM", 1, "make test-gateway")[0]
	where := realserver.Lines(t, "INFEROMETER_LLAMA", 3, "make test-gateway")
	port := realserver.FreePort(t)
	llama = realserver.Start(t, port, time.Minute, nil, where[0], "--model", where[2], "--alias", "smollm2", "--host", "127.0.0.1", "--port", port,
		"--metrics", "--no-webui", "--threads", "1", "--parallel", "2", "--ctx-size", "2048", "--no-cache-prompt")
	// custom_openai makes chat completions of Messages and Responses. A failed request is to be seen: no retries, no pause.
	config := filepath.Join(t.TempDir(), "litellm.yaml")
	text := fmt.Sprintf(`
model_list:
  - {model_name: smollm2, litellm_params: {model: custom_openai/smollm2, api_base: "%s/v1", api_key: none}}
general_settings: {master_key: %s}
litellm_settings: {use_chat_completions_url_for_anthropic_messages: true, num_retries: 0}
router_settings: {disable_cooldowns: true}
`, llama.Base, key)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	port = realserver.FreePort(t)
	gateway = realserver.StartAs(t, port, "/health/liveliness", 5*time.Minute, []string{"LITELLM_LOCAL_MODEL_COST_MAP=True", "HOME=" + t.TempDir()},
		command, "--config", config, "--host", "127.0.0.1", "--port", port, "--telemetry", "False")
	return llama, gateway
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

// Each protocol that the gateway speaks, beside the server itself: all complete, and the
// tokens are those that the server behind it has counted. What the gateway adds in time is logged.
func TestGateway(t *testing.T) {
	llama, gateway := servers(t)
	program, n := realserver.Build(t), realserver.Requests(16, 3)
	prompts := stories(t, n)
	for _, backend := range []string{"openai-chat", "anthropic", "openai-responses"} {
		t.Run(backend, func(t *testing.T) {
			direct := run(t, llama, llama.Base, program, backend, prompts, n)
			through := run(t, llama, gateway.Base, program, backend, prompts, n)
			t.Logf("mean TTFT %.1f ms, %.1f ms through the gateway; requests per second %.2f and %.2f",
				direct.MeanTTFTms, through.MeanTTFTms, direct.RequestThroughput, through.RequestThroughput)
		})
	}
}

func run(t *testing.T, llama *realserver.Server, base, program, backend, prompts string, n int) *realserver.Result {
	t.Helper()
	in, out := llama.Counter(t, promptCounter), llama.Counter(t, outputCounter)
	r := realserver.StartBench(t, []string{"OPENAI_API_KEY=" + key}, program, "--backend", backend, "--base-url", base, "--model", "smollm2",
		"--skip-tokenizer-init", "--dataset-name", "custom", "--dataset-path", prompts, "--custom-output-len", fmt.Sprint(asked), "--temperature", "0",
		"--num-prompts", fmt.Sprint(n), "--max-concurrency", "1").Wait(t, 0, 10*time.Minute)
	if r.Completed != n || r.Inferometer.Outcomes["complete"] != n {
		t.Fatalf("%d completed, outcomes %v, errors %v", r.Completed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	if got := llama.Counter(t, promptCounter) - in; got != r.TotalInputTokens {
		t.Errorf("%s: we count %d prompt tokens, the server %d", base, r.TotalInputTokens, got)
	}
	if got := llama.Counter(t, outputCounter) - out; got != r.TotalOutputTokens || got > n*asked {
		t.Errorf("%s: we count %d output tokens, the server %d, want at most %d", base, r.TotalOutputTokens, got, n*asked)
	}
	return r
}
