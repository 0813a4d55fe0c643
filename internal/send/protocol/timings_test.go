package protocol

import (
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// llama.cpp's account comes with the last event; what is no number of milliseconds says nothing.
func TestTimings(t *testing.T) {
	for text, want := range map[string]stream.Timings{
		`{"cache_n":0,"prompt_n":4,"prompt_ms":164.468,"prompt_per_second":24.3,"predicted_ms":162.923}`: {PromptNs: 164_468_000, OutputNs: 162_923_000, Computed: 4},
		`{"predicted_ms":1e3,"prompt_ms":0}`:       {OutputNs: 1_000_000_000},
		`{"prompt_ms":null,"predicted_ms":"5"}`:    {},
		`{"prompt_ms":-1,"predicted_ms":1e300}`:    {},
		`{"prompt_ms":{"a":[1]},"predicted_ms":2}`: {OutputNs: 2_000_000},
		`{"prompt_n":-1,"predicted_n":1e99}`:       {},
		`{"prompt_n":"5","predicted_n":12}`:        {Output: 12},
		`null`:                                     {},
		`[1, 2]`:                                   {},
	} {
		last := `data: {"choices":[{"text":"","finish_reason":"length"}],"timings":` + text + "}\n\n"
		got := traceOf(t, "vllm", 200, tokenA, last, ending)
		if got.Timings != want || got.Malformed != nil || got.FinishReason != "length" {
			t.Errorf("%s: %+v (%v), want %+v", text, got.Timings, got.Malformed, want)
		}
	}
}

// OpenAI says it among the details, SGLang beside them. None is an answer, null is not.
func TestReasoningTokensAreKnown(t *testing.T) {
	for text, want := range map[string]stream.Usage{
		`{"prompt_tokens":5,"completion_tokens":9,"completion_tokens_details":{"accepted_prediction_tokens":1,"reasoning_tokens":7}}`: {Prompt: 5, Output: 9, Reasoning: 7, ReasoningKnown: true},
		`{"prompt_tokens":5,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":0}}`:                                {Prompt: 5, Output: 9, ReasoningKnown: true},
		`{"prompt_tokens":5,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":null}}`:                             {Prompt: 5, Output: 9},
		`{"prompt_tokens":5,"completion_tokens":9,"completion_tokens_details":null}`:                                                  {Prompt: 5, Output: 9},
		`{"prompt_tokens":5,"completion_tokens":9,"reasoning_tokens":3}`:                                                              {Prompt: 5, Output: 9, Reasoning: 3, ReasoningKnown: true},
	} {
		got := traceOf(t, "openai-chat", 200, `data: {"choices":[],"usage":`+text+"}\n\n")
		if got.Usage != want {
			t.Errorf("%s: %+v, want %+v", text, got.Usage, want)
		}
	}
}

// None is an answer, null is not; llama.cpp says it in its timings.
func TestCachedTokensAreKnown(t *testing.T) {
	for text, want := range map[string]stream.Usage{
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}}`:    {Prompt: 5, Output: 2, CachedKnown: true},
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":null}}}`: {Prompt: 5, Output: 2},
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":null}}`:                   {Prompt: 5, Output: 2},
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2},"timings":{"cache_n":3}}`:                        {Prompt: 5, Output: 2, Cached: 3, CachedKnown: true},
	} {
		got := traceOf(t, "vllm", 200, "data: "+text+"\n\n")
		if got.Usage != want {
			t.Errorf("%s: %+v, want %+v", text, got.Usage, want)
		}
	}
}

// The prompt's tokens are those that were computed and those from the cache. A server that does not say how many came
// from there has not told the prompt's length.
func TestPromptTokensOfTimings(t *testing.T) {
	for text, want := range map[string]int{
		`{"cache_n":0,"prompt_n":4}`:    4,
		`{"cache_n":30,"prompt_n":1}`:   31,
		`{"prompt_n":4}`:                0,
		`{"cache_n":null,"prompt_n":4}`: 0,
		`{"cache_n":30,"prompt_n":0}`:   0,
		`{"cache_n":0,"prompt_n":-1}`:   0,
	} {
		got := traceOf(t, "openai-chat", 200, `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"timings":`+text+"}\n\n", ending)
		if n, known := got.PromptTokens(); known != (want > 0) || known && n != want {
			t.Errorf("%s: %d (%v), want %d", text, n, known, want)
		}
	}
}
