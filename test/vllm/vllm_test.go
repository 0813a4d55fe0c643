// Package vllm tests the built program against the real vLLM: its server on CPU,
// with a tiny model of random weights and a real tokenizer, and its own client,
// `vllm bench serve`, whose requests and results are to be ours. `make test-vllm`
// gets vLLM and runs it; it is too large for CI.
package vllm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

const (
	promptCounter = "vllm:prompt_tokens_total"
	outputCounter = "vllm:generation_tokens_total"
)

// install is where vLLM is.
type install struct {
	command, model string
	env            []string
}

func installed(t *testing.T) install {
	t.Helper()
	where := realserver.Lines(t, "INFEROMETER_VLLM", 2, "make test-vllm")
	return install{where[0], where[1], []string{
		"HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "VLLM_CPU_KVCACHE_SPACE=2", "OMP_NUM_THREADS=2",
	}}
}

// startup is how long the server may take on a busy machine; half a minute is usual.
const startup = 15 * time.Minute

func (v install) start(t *testing.T) *realserver.Server {
	t.Helper()
	return v.serve(t, "--max-model-len", "4096")
}

// pooling starts the server of a model that answers with vectors or scores.
func (v install) pooling(t *testing.T) *realserver.Server {
	t.Helper()
	return v.serve(t, "--runner", "pooling")
}

func (v install) serve(t *testing.T, flags ...string) *realserver.Server {
	t.Helper()
	port := realserver.FreePort(t)
	return realserver.Start(t, port, startup, v.env, v.command, append([]string{
		"serve", v.model, "--load-format", "dummy", "--served-model-name", "tiny",
		"--host", "127.0.0.1", "--port", port, "--dtype", "float32", "--enforce-eager",
	}, flags...)...)
}

// The same command line for both clients, against the same server.
func TestSameResult(t *testing.T) {
	v := installed(t)
	s := v.start(t)
	program := realserver.Build(t)
	for _, tt := range []struct {
		name  string
		flags []string
	}{
		{"completions", []string{"--backend", "vllm"}},
		{"chat", []string{"--backend", "openai-chat", "--endpoint", "/v1/chat/completions", "--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,99.9"}},
		{"rate", []string{"--backend", "vllm", "--request-rate", "6", "--burstiness", "0.5", "--goodput", "ttft:500"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flags := append([]string{
				"--base-url", s.Base, "--model", "tiny", "--tokenizer", v.model, "--dataset-name", "random", "--random-input-len", "64",
				"--random-output-len", "16", "--random-range-ratio", "0.5", "--num-prompts", "24", "--max-concurrency", "4", "--seed", "7",
			}, tt.flags...)
			theirs := measured(t, s, v.env, v.command, flags)
			ours := measured(t, s, v.env, program, flags)
			compareResults(t, theirs, ours)
		})
	}
}

// measured runs a client and holds its count of tokens against the server's counters.
func measured(t *testing.T, s *realserver.Server, env []string, command string, flags []string) *realserver.Result {
	t.Helper()
	prompts, outputs := s.Counter(t, promptCounter), s.Counter(t, outputCounter)
	r := realserver.StartBench(t, env, command, flags...).Wait(t, 0, 5*time.Minute)
	if got := s.Counter(t, promptCounter) - prompts; got != r.TotalInputTokens {
		t.Errorf("%s counts %d prompt tokens, the server %d", command, r.TotalInputTokens, got)
	}
	if got := s.Counter(t, outputCounter) - outputs; got != r.TotalOutputTokens {
		t.Errorf("%s counts %d output tokens, the server %d", command, r.TotalOutputTokens, got)
	}
	return r
}

// wide is how far two measurements of the same load on a busy machine may lie apart.
const wide = 4.0

func compareResults(t *testing.T, theirs, ours *realserver.Result) {
	t.Helper()
	if want := append(slices.Clone(theirs.Keys), "inferometer"); !slices.Equal(ours.Keys, want) {
		t.Errorf("keys\n%v\nwant\n%v", ours.Keys, want)
	}
	if ours.Completed != 24 || theirs.Completed != ours.Completed || theirs.Failed != ours.Failed {
		t.Errorf("%d completed and %d failed, ours %d and %d", theirs.Completed, theirs.Failed, ours.Completed, ours.Failed)
	}
	if !slices.Equal(theirs.InputLens, ours.InputLens) || !slices.Equal(theirs.OutputLens, ours.OutputLens) {
		t.Errorf("lengths %v and %v, ours %v and %v", theirs.InputLens, theirs.OutputLens, ours.InputLens, ours.OutputLens)
	}
	for _, n := range []struct {
		name         string
		theirs, ours float64
	}{
		{"request throughput", theirs.RequestThroughput, ours.RequestThroughput},
		{"mean TTFT", theirs.MeanTTFTms, ours.MeanTTFTms},
		{"mean TPOT", theirs.MeanTPOTms, ours.MeanTPOTms},
	} {
		t.Logf("%s: %.2f, ours %.2f", n.name, n.theirs, n.ours)
		if n.ours > wide*n.theirs || n.theirs > wide*n.ours {
			t.Errorf("%s is %.2f, ours %.2f", n.name, n.theirs, n.ours)
		}
	}
	sameSettings(t, theirs, ours)
	sameBlock(t, theirs.Stdout, ours.Stdout)
}

// timed says of a key that its value depends on time or chance. The weights are
// random and nothing asks for greedy sampling, so the texts are chance too.
func timed(key string) bool {
	switch key {
	case "date", "duration", "request_goodput", "max_output_tokens_per_s",
		"max_concurrent_requests", // vLLM's counts too many; docs/vllm.md
		"ttfts", "itls", "latencies", "start_times", "queue_times", "generated_texts":
		return true
	}
	return strings.HasSuffix(key, "_throughput") || strings.HasSuffix(key, "_ms")
}

// sameSettings: all other values are the same, to the byte.
func sameSettings(t *testing.T, theirs, ours *realserver.Result) {
	t.Helper()
	compared := 0
	for _, k := range theirs.Keys {
		if timed(k) {
			continue
		}
		compared++
		if a, b := string(theirs.Fields[k]), string(ours.Fields[k]); a != b {
			t.Errorf("%s is %s, ours %s", k, a, b)
		}
	}
	if compared < 15 {
		t.Errorf("only %d keys were compared", compared)
	}
}

// sameBlock: the console has the same labels in the same order.
func sameBlock(t *testing.T, theirs, ours string) {
	t.Helper()
	if a, b := labels(theirs), labels(ours); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("the console says\n%s\nours\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// labels are the lines of the first block, without their values.
func labels(console string) (names []string) {
	_, rest, _ := strings.Cut(console, " Serving Benchmark Result ")
	block, _, _ := strings.Cut(rest, "\n====")
	for _, line := range strings.Split(block, "\n") {
		if name, _, found := strings.Cut(line, ": "); found {
			line = name
		}
		names = append(names, line)
	}
	return names
}
