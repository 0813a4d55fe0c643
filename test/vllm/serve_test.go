package vllm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/test/realserver"
)

// bert is an encoder of two layers; its weights are vLLM's to draw.
const bert = `"model_type": "bert", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 151936,
"max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0, "torch_dtype": "float32"`

// encoder makes a model of vectors or scores, with the tokenizer of the other one.
func (v install) encoder(t *testing.T, more string) install {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tokenizer.json", "tokenizer_config.json"} {
		data, err := os.ReadFile(filepath.Join(v.model, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	write(t, filepath.Join(dir, "config.json"), "{"+more+", "+bert+"}")
	v.model = dir
	return v
}

// served runs a backend against a server, with 12 prompts of 24 tokens. All must complete, and the
// server's counters and ours must agree.
func served(t *testing.T, v install, s *realserver.Server, program, backend string, requests int, flags ...string) *realserver.Result {
	t.Helper()
	prompts := s.Counter(t, promptCounter)
	r := realserver.StartBench(t, v.env, program, append([]string{
		"--backend", backend, "--base-url", s.Base, "--model", "tiny", "--tokenizer", v.model,
		"--random-input-len", "24", "--random-output-len", "8", "--num-prompts", "12", "--max-concurrency", "2",
	}, flags...)...).Wait(t, 0, 5*time.Minute)
	if r.Completed != requests || r.Failed != 0 || r.Inferometer.Outcomes["complete"] != requests {
		t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	// Where the path is not the protocol's own, a question of one token asks first whether it is there.
	if got := s.Counter(t, promptCounter) - prompts - min(1, strings.Count(strings.Join(flags, " "), "--endpoint")); got != r.TotalInputTokens {
		t.Errorf("we count %d prompt tokens, the server %d", r.TotalInputTokens, got)
	}
	for _, k := range r.Inferometer.Verdict.Checks {
		if strings.HasPrefix(k.Name, "server_") && strings.HasSuffix(k.Name, "_tokens") && k.Level != verdict.OK && k.Level != verdict.NotChecked {
			t.Errorf("%s is %s: %s", k.Name, k.Level, k.Sentence)
		}
	}
	return r
}

// Texts: each protocol that vLLM's server has, against the same model.
func TestServe(t *testing.T) {
	v := installed(t)
	s, program := v.start(t), realserver.Build(t)
	for _, tt := range []struct {
		backend string
		fixed   bool // the length of an answer is what was asked for, whatever the model says
		flags   []string
	}{
		{"vllm", true, nil},
		{"openai-chat", true, nil},
		{"openai-responses", true, nil},
		{"anthropic", false, nil},
	} {
		t.Run(tt.backend, func(t *testing.T) {
			outputs := s.Counter(t, outputCounter)
			r := served(t, v, s, program, tt.backend, 12, tt.flags...)
			if got := s.Counter(t, outputCounter) - outputs; got != r.TotalOutputTokens {
				t.Errorf("we count %d output tokens, the server %d", r.TotalOutputTokens, got)
			}
			if tt.fixed && r.TotalOutputTokens != 12*8 || r.TotalOutputTokens > 12*8 {
				t.Errorf("%d output tokens, want %d", r.TotalOutputTokens, 12*8)
			}
			t.Logf("%d prompt and %d output tokens, mean TTFT %.0f ms", r.TotalInputTokens, r.TotalOutputTokens, r.MeanTTFTms)
		})
	}
}

// Vectors: each pooling protocol that vLLM's server has.
func TestServeVectors(t *testing.T) {
	v := installed(t).encoder(t, `"architectures": ["BertModel"]`)
	s, program := v.pooling(t), realserver.Build(t)
	for _, tt := range []struct {
		name, backend string
		batch         int
		flags         []string
	}{
		{"one", "openai-embeddings", 1, nil},
		{"batch", "openai-embeddings", 3, nil},
		{"bytes", "openai-embeddings", 1, []string{"--extra-body", `{"encoding_format": "bytes"}`}},
		{"chat", "openai-embeddings-chat", 1, nil},
		{"clip", "openai-embeddings-clip", 1, nil},
		{"vlm2vec", "openai-embeddings-vlm2vec", 1, nil},
		{"infinity", "infinity-embeddings", 3, []string{"--endpoint", "/v1/embeddings"}},
		{"pooling", "vllm-pooling", 4, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := served(t, v, s, program, tt.backend, 12/tt.batch, append(tt.flags, "--random-batch-size", strconv.Itoa(tt.batch))...)
			inputs(t, r, 12)
			if least := 12 * 24; r.TotalInputTokens < least || tt.name != "chat" && tt.name != "clip" && tt.name != "vlm2vec" && r.TotalInputTokens != least {
				t.Errorf("%d tokens, want %d, or more with a chat template", r.TotalInputTokens, least)
			}
		})
	}
}

// Scores: a query and four documents in a request.
func TestServeScores(t *testing.T) {
	v := installed(t).encoder(t, `"architectures": ["BertForSequenceClassification"], "num_labels": 1, "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}`)
	s, program := v.pooling(t), realserver.Build(t)
	r := served(t, v, s, program, "vllm-rerank", 3, "--dataset-name", "random-rerank", "--random-batch-size", "4")
	inputs(t, r, 12)
	t.Logf("%d tokens for 12 pairs of 24", r.TotalInputTokens)
}

// inputs: the result counts the texts of all requests.
func inputs(t *testing.T, r *realserver.Result, want int) {
	t.Helper()
	var got int
	if err := json.Unmarshal(r.Fields["total_input_sequences"], &got); err != nil || got != want {
		t.Errorf("%s inputs, want %d (%v)", r.Fields["total_input_sequences"], want, err)
	}
	if r.TotalOutputTokens != 0 {
		t.Errorf("%d output tokens", r.TotalOutputTokens)
	}
}
