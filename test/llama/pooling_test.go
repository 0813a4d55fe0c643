package llama

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// pooled checks a run of a pooling backend: all complete, and the tokens are the server's count.
func pooled(t *testing.T, r *realserver.Result, requests, inputs int) {
	t.Helper()
	if r.Completed != requests || r.Failed != 0 || r.Inferometer.Outcomes["complete"] != requests {
		t.Fatalf("%d completed, %d failed, outcomes %v, errors %v", r.Completed, r.Failed, r.Inferometer.Outcomes, r.Inferometer.Errors)
	}
	var got int
	if err := json.Unmarshal(r.Fields["total_input_sequences"], &got); err != nil || got != inputs {
		t.Errorf("%s inputs, want %d (%v)", r.Fields["total_input_sequences"], inputs, err)
	}
	if r.TotalOutputTokens != 0 {
		t.Errorf("%d output tokens", r.TotalOutputTokens)
	}
}

// Embeddings, one text in a request and several. The tokens of a text are those that
// were planned.
func TestEmbeddings(t *testing.T) {
	const texts, length = 12, 24
	s := startLlama(t, "--embeddings", "--pooling", "mean", "--parallel", "4", "--ctx-size", "2048")
	program := realserver.Build(t)
	for _, batch := range []int{1, 3} {
		t.Run(strconv.Itoa(batch), func(t *testing.T) {
			r := realserver.StartBench(t, nil, program, "--backend", "openai-embeddings", "--base-url", s.Base, "--dataset-name", "random",
				"--random-input-len", strconv.Itoa(length), "--random-batch-size", strconv.Itoa(batch), "--num-prompts", strconv.Itoa(texts),
				"--max-concurrency", "2").Wait(t, 0, patience)
			pooled(t, r, texts/batch, texts)
			if r.TotalInputTokens != texts*length {
				t.Errorf("%d tokens, want %d", r.TotalInputTokens, texts*length)
			}
		})
	}
}

// A server that does not embed refuses: the words are its own, and nothing is complete.
func TestEmbeddingsOfAServerThatHasNone(t *testing.T) {
	s := startLlama(t, "--ctx-size", "512")
	r := realserver.StartBench(t, nil, realserver.Build(t), "--backend", "openai-embeddings", "--base-url", s.Base, "--dataset-name", "random",
		"--random-input-len", "8", "--num-prompts", "2", "--max-concurrency", "1").Wait(t, 1, patience)
	t.Logf("outcomes %v; %v", r.Inferometer.Outcomes, r.Inferometer.Errors)
	if r.Completed != 0 || len(r.Inferometer.Errors) == 0 {
		t.Errorf("%d completed, errors %v", r.Completed, r.Inferometer.Errors)
	}
}

// Reranking. The model was not trained for it, so its scores mean nothing; that there is
// one for each document is what makes a request complete.
func TestRerank(t *testing.T) {
	const documents, batch = 12, 4
	s := startLlama(t, "--reranking", "--parallel", "4", "--ctx-size", "2048")
	r := realserver.StartBench(t, nil, realserver.Build(t), "--backend", "vllm-rerank", "--base-url", s.Base, "--dataset-name", "random-rerank",
		"--random-input-len", "32", "--random-batch-size", strconv.Itoa(batch), "--num-prompts", strconv.Itoa(documents),
		"--max-concurrency", "2").Wait(t, 0, patience)
	pooled(t, r, documents/batch, documents)
	t.Logf("%d tokens by the server's count for %d pairs of 32", r.TotalInputTokens, documents)
}
