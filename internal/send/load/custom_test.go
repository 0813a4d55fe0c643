package load

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
)

// customFiles describe APIs of the simulator, by the name that each has in these tests (backendOf reads them).
var customFiles = map[string]string{
	"custom-chat": `{
		"path": "/v1/chat/completions",
		"body": {"model": "{model}", "messages": "{messages}", "max_completion_tokens": "{max_tokens}", "ignore_eos": "{ignore_eos}", "stream": true, "stream_options": {"include_usage": true}},
		"text": "choices.0.delta.content", "reasoning": ["choices.0.delta.reasoning_content", "choices.0.delta.reasoning"],
		"finish": "choices.0.finish_reason", "error": "error", "id": "id",
		"prompt_tokens": "usage.prompt_tokens", "output_tokens": "usage.completion_tokens", "done": {"data": "[DONE]"}}`,
	"custom-lines": `{
		"path": "/api/generate", "framing": "ndjson",
		"body": {"model": "{model}", "prompt": "{prompt}", "raw": true, "stream": true, "options": {"num_predict": "{max_tokens}"}},
		"text": "response", "finish": "done_reason", "error": "error",
		"prompt_tokens": "prompt_eval_count", "output_tokens": "eval_count", "done": {"path": "done", "equals": true}}`,
	"custom-grows": `{
		"path": "/generate",
		"body": {"text": "{prompt}", "sampling_params": {"max_new_tokens": "{max_tokens}", "ignore_eos": "{ignore_eos}"}, "stream": true},
		"text": "text", "cumulative": true, "finish": "meta_info.finish_reason.type", "error": ["error.message", "error"], "id": "meta_info.id",
		"prompt_tokens": "meta_info.prompt_tokens", "output_tokens": "meta_info.completion_tokens", "cached_tokens": "meta_info.cached_tokens", "done": {"data": "[DONE]"}}`,
	"custom-whole": `{
		"path": "/v1/completions", "framing": "json",
		"body": {"model": "{model}", "prompt": "{prompt}", "max_tokens": "{max_tokens}", "ignore_eos": "{ignore_eos}", "stream": false},
		"text": "choices[0].text", "finish": "choices[0].finish_reason", "error": "error", "id": "id",
		"prompt_tokens": "usage.prompt_tokens", "output_tokens": "usage.completion_tokens"}`,
}

// An answer in one piece has its text, its counts and its reason.
func TestCustomWholeAnswersAreTheTruths(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "custom-whole", closed(), &prompts{n: 20, tokens: 12})
		if _, err := Run(t.Context(), nil, cfg); err != nil {
			t.Fatal(err)
		}
		records, _ := read()
		truth := s.truth()
		for i := range records {
			q, known := &records[i], truth[records[i].ID]
			if q.Outcome != journal.Complete || *q.Text != known.Text || q.UsageOutput != known.CompletionTokens || q.UsagePrompt != known.PromptTokens || q.FinishReason != known.Finish || known.Stream {
				t.Errorf("%s %s: %q, %d tokens, %s; the truth has %q, %d, %s", q.Outcome, q.Error, *q.Text, q.UsageOutput, q.FinishReason, known.Text, known.CompletionTokens, known.Finish)
			}
		}
		if len(records) != 20 {
			t.Errorf("%d records", len(records))
		}
	})
}
