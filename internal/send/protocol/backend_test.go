package protocol

import (
	"strings"
	"testing"
)

func TestBackends(t *testing.T) {
	if got := strings.Join(Backends(), " "); !strings.HasPrefix(got, "vllm openai openai-chat ") {
		t.Error(got)
	}
	if got := BackendDoc(); !strings.HasPrefix(got, "vllm and openai are completions, openai-chat is chat completions, ") ||
		!strings.Contains(got, ", openai-embeddings-chat, openai-embeddings-clip and openai-embeddings-vlm2vec are embeddings of messages, ") {
		t.Error(got)
	}
	more := backends.With(&Backend{Name: "mine", Doc: "ranks of documents", Protocol: completions})
	if got := docOf(more.All()); !strings.HasSuffix(got, ", mine is ranks of documents") {
		t.Error(got)
	}
	if _, err := FindBackend("mine"); err == nil || !strings.HasPrefix(err.Error(), `backend "mine" is unknown: use one of vllm, openai, openai-chat, `) {
		t.Error(err)
	}
}
