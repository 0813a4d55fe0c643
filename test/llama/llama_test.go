// Package llama tests the built program against llama.cpp's real llama-server
// with a real small model. `make test-llama` gets both and runs it.
//
// What llama-server does, found by these tests: it honours ignore_eos in both
// endpoints, takes vLLM's other fields (repetition_penalty, logprobs null, content
// as a list) without complaint, and its usage agrees with its counters. It counts
// in prompt_tokens_total only what it computed: a token from its prompt cache is
// in usage.prompt_tokens and in cached_tokens, not in the counter.
package llama

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/test/realserver"
)

const (
	promptCounter = "llamacpp:prompt_tokens_total"
	outputCounter = "llamacpp:tokens_predicted_total"
)

// patience is how long anything may take before it is called a hang. A run of seconds takes minutes on a slow machine that
// others use too.
const patience = 10 * time.Minute

// startLlama starts llama-server, or skips where there is none.
func startLlama(t *testing.T, args ...string) *realserver.Server {
	t.Helper()
	where := realserver.Lines(t, "INFEROMETER_LLAMA", 3, "make test-llama")
	port := realserver.FreePort(t)
	// One thread computes: several wait for each other, and on a busy machine that is what takes the time.
	args = append([]string{"--model", where[2], "--alias", "smollm2", "--host", "127.0.0.1", "--port", port, "--metrics", "--no-webui", "--threads", "1"}, args...)
	return realserver.Start(t, port, patience, nil, where[0], args...)
}

// random is a run of the random dataset.
func random(base, endpoint string, args ...string) []string {
	backend := "openai"
	if strings.HasSuffix(endpoint, "chat/completions") {
		backend = "openai-chat"
	}
	return append([]string{"--backend", backend, "--base-url", base, "--endpoint", endpoint, "--dataset-name", "random"}, args...)
}

func TestAllComplete(t *testing.T) {
	n := realserver.Requests(64, 24)
	s := startLlama(t, "--parallel", "8", "--ctx-size", "8192", "--no-cache-prompt")
	program := realserver.Build(t)
	for _, endpoint := range []string{"/v1/completions", "/v1/chat/completions"} {
		t.Run(endpoint[len("/v1/"):], func(t *testing.T) {
			prompts, outputs := s.Counter(t, promptCounter), s.Counter(t, outputCounter)
			r := realserver.StartBench(t, nil, program, random(s.Base, endpoint,
				"--num-prompts", strconv.Itoa(n), "--max-concurrency", "8",
				"--random-input-len", "24", "--random-output-len", "10", "--random-range-ratio", "0.4")...).Wait(t, 0, patience)
			if r.Completed != n || r.Failed != 0 || r.Inferometer.Outcomes["complete"] != n {
				t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
			}
			if got := s.Counter(t, promptCounter) - prompts; got != r.TotalInputTokens {
				t.Errorf("we count %d prompt tokens, the server %d", r.TotalInputTokens, got)
			}
			if got := s.Counter(t, outputCounter) - outputs; got != r.TotalOutputTokens {
				t.Errorf("we count %d output tokens, the server %d", r.TotalOutputTokens, got)
			}
			checkPromptLengths(t, endpoint, r)
			checkVerdict(t, r)
		})
	}
}

// byTheMachine are the checks that a busy machine may make bad: it and the server compute on the same processors, so that
// answers come late, in bunches, or slower at one time than at another. And so few requests, less than ten for each slot,
// may spend a fifth of the run at its end.
var byTheMachine = []string{"bounds", "lag", "bursts", "drift", "ramp_drain"}

// checkVerdict: the server's counters agree with ours to the token, and nothing is wrong that a slow machine does not
// explain: no answer, no count, no cache, no connection. (llama-server does not count requests, so that is not checked.)
func checkVerdict(t *testing.T, r *realserver.Result) {
	t.Helper()
	v := &r.Inferometer.Verdict
	for _, name := range []string{"server_prompt_tokens", "server_output_tokens", "restart", "outcomes", "output_tokens"} {
		if k := v.Check(name); k == nil || k.Level != verdict.OK {
			t.Errorf("%s: %+v, want ok", name, k)
		}
	}
	for _, name := range byTheMachine {
		if v.Check(name) == nil {
			t.Errorf("there is no check %s", name)
		}
	}
	for i := range v.Checks {
		k := &v.Checks[i]
		if k.Level.Bad() && !slices.Contains(byTheMachine, k.Name) {
			t.Errorf("%s is %s: %s", k.Name, k.Level, k.Sentence)
		}
		if k.Level.Bad() || k.Group == "server" {
			t.Logf("%-12s %-20s %s", k.Level, k.Name, k.Sentence)
		}
	}
}

// checkPromptLengths: the prompts, made with the server's own tokenizer, have the
// length that was planned (this model puts no BOS before them); chat adds its
// template, the same for each.
func checkPromptLengths(t *testing.T, endpoint string, r *realserver.Result) {
	t.Helper()
	if source := r.Inferometer.Workload.TokenizerSource; source != "server" {
		t.Errorf("the tokenizer is from %q, want the server's", source)
	}
	more := r.Inferometer.Tokens.PromptCounted - r.Inferometer.Tokens.PromptPlanned
	switch {
	case endpoint == "/v1/completions" && more != 0:
		t.Errorf("the prompts have %d tokens more than planned", more)
	case endpoint != "/v1/completions" && (more <= 0 || more%r.Completed != 0):
		t.Errorf("the chat template adds %d tokens to %d prompts", more, r.Completed)
	}
	t.Logf("%s: %d prompt tokens planned, %d counted; %.1f req/s, mean TTFT %.0f ms",
		endpoint, r.Inferometer.Tokens.PromptPlanned, r.Inferometer.Tokens.PromptCounted, r.RequestThroughput, r.MeanTTFTms)
}

// With the server's prompt cache its counter is what it computed: our count less
// what its usage says came from the cache.
func TestPromptCache(t *testing.T) {
	s := startLlama(t, "--parallel", "2", "--ctx-size", "2048")
	r := realserver.StartBench(t, nil, realserver.Build(t), random(s.Base, "/v1/chat/completions",
		"--num-prompts", "12", "--max-concurrency", "2",
		"--random-input-len", "24", "--random-output-len", "4")...).Wait(t, 0, patience)
	cached := r.Inferometer.Tokens.PromptCached
	if r.Completed != 12 || cached == 0 {
		t.Errorf("%d completed, %d tokens from the cache: the chat template should come from it", r.Completed, cached)
	}
	if got := s.Counter(t, promptCounter); got != r.TotalInputTokens-cached {
		t.Errorf("the server computed %d prompt tokens, we count %d of which %d from its cache", got, r.TotalInputTokens, cached)
	}
}

// Two slots share 512 tokens (the server has no smaller ones); a prompt that is too long for its half is refused.
func TestContextTooSmall(t *testing.T) {
	const slot, output = 256, 4
	s := startLlama(t, "--parallel", "2", "--ctx-size", "512", "--no-cache-prompt")
	r := realserver.StartBench(t, nil, realserver.Build(t), random(s.Base, "/v1/completions",
		"--num-prompts", "16", "--max-concurrency", "2", "--random-input-len", "250",
		"--random-output-len", fmt.Sprint(output), "--random-range-ratio", `{"input": 0.6, "output": 0.0}`)...).Wait(t, 0, patience)
	fit, tooLong := 0, 0
	for i, length := range r.InputLens {
		switch failed := r.Errors[i] != ""; {
		case length+output <= slot:
			fit++
			if failed {
				t.Errorf("request %d of %d tokens failed: %s", i, length, r.Errors[i])
			}
		case length > slot:
			tooLong++
			if !strings.Contains(r.Errors[i], "HTTP 400") || !strings.Contains(r.Errors[i], "context size") {
				t.Errorf("request %d of %d tokens: %q, want the server's words", i, length, r.Errors[i])
			}
		}
	}
	if fit < 3 || tooLong < 3 {
		t.Errorf("%d prompts fit and %d are too long: the test needs some of both", fit, tooLong)
	}
	if r.Completed < fit || r.Inferometer.Outcomes["http_4xx"] < tooLong || r.OutcomeTotal() != 16 {
		t.Errorf("%d fit, %d too long, but %d completed, outcomes %v", fit, tooLong, r.Completed, r.Inferometer.Outcomes)
	}
	t.Logf("outcomes %v; the first error: %v", r.Inferometer.Outcomes, r.Inferometer.Errors[0])
}

// One Ctrl-C: what is in flight ends in good order, nothing more is sent.
func TestInterruptDrains(t *testing.T) {
	s := startLlama(t, "--parallel", "4", "--ctx-size", "2048", "--no-cache-prompt")
	b := realserver.StartBench(t, nil, realserver.Build(t), random(s.Base, "/v1/completions",
		"--num-prompts", "400", "--max-concurrency", "4", "--random-input-len", "16", "--random-output-len", "8")...)
	s.AwaitCounter(t, outputCounter, 4*8, patience)
	b.Interrupt(t)
	r := b.Wait(t, 3, patience)
	w := r.Inferometer.Workload
	if !r.Inferometer.Partial || r.Inferometer.Interrupted == nil {
		t.Error("the result does not say that it is partial")
	}
	if r.Completed < 4 || r.Completed != w.Sent || w.Sent >= w.Planned {
		t.Errorf("%d completed of %d sent and %d planned, outcomes %v", r.Completed, w.Sent, w.Planned, r.Inferometer.Outcomes)
	}
	if got := s.Counter(t, outputCounter); got != r.TotalOutputTokens {
		t.Errorf("we count %d output tokens, the server %d", r.TotalOutputTokens, got)
	}
	t.Logf("%d of %d sent, all completed", w.Sent, w.Planned)
}

// The server dies in the middle: nothing hangs, and the result says what became of each request.
func TestServerKilled(t *testing.T) {
	s := startLlama(t, "--parallel", "4", "--ctx-size", "2048", "--no-cache-prompt")
	b := realserver.StartBench(t, nil, realserver.Build(t), random(s.Base, "/v1/completions",
		"--num-prompts", "100", "--max-concurrency", "4", "--random-input-len", "16",
		"--random-output-len", "24", "--random-range-ratio", `{"input": 0.0, "output": 0.6}`)...)
	s.AwaitCounter(t, outputCounter, 48, patience) // the lengths differ: some request is in the middle
	s.Kill()
	r := b.Wait(t, 0, patience)
	o := r.Inferometer.Outcomes
	if o["complete"] == 0 || o["complete"] != r.Completed || r.OutcomeTotal() != 100 {
		t.Errorf("outcomes %v, %d completed of 100", o, r.Completed)
	}
	// A request that was in flight is cut off; one that came into the dying server's queue is reset.
	broken := o["reset"] + o["truncated"]
	if broken == 0 || o["refused"] == 0 || o["complete"]+broken+o["refused"] != 100 {
		t.Errorf("outcomes %v, want complete, cut off or refused, and some of each", o)
	}
	t.Logf("outcomes %v; %v", o, r.Inferometer.Errors)
}

// Greedy answers under load against those of the same prompts alone: a real server's
// may differ a little, since it adds up in another order in another batch. So only
// that they were compared is asked for; the figure is in the log.
func TestIntegritySample(t *testing.T) {
	s := startLlama(t, "--parallel", "4", "--ctx-size", "2048", "--no-cache-prompt")
	r := realserver.StartBench(t, nil, realserver.Build(t), random(s.Base, "/v1/completions",
		"--num-prompts", "24", "--max-concurrency", "4", "--random-input-len", "16", "--random-output-len", "16",
		"--temperature", "0", "--integrity-sample", "8")...).Wait(t, 0, patience)
	k := r.Inferometer.Verdict.Check("integrity")
	if k == nil || k.Value == nil || !strings.HasSuffix(k.Figure, " of 8") {
		t.Fatalf("%+v", k)
	}
	t.Logf("%s: %s", k.Level, k.Sentence)
	for _, name := range []string{"server_prompt_tokens", "server_output_tokens"} {
		if k := r.Inferometer.Verdict.Check(name); k.Level != verdict.OK { // the samples came after the last look
			t.Errorf("%s is %s: %s", name, k.Level, k.Sentence)
		}
	}
	if got := s.Counter(t, outputCounter); got != r.TotalOutputTokens+8*16 {
		t.Errorf("the server made %d tokens, want %d and 8 times 16", got, r.TotalOutputTokens)
	}
}
