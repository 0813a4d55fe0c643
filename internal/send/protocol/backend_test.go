package protocol

import (
	"slices"
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
	remove := Register(&Backend{Name: "openai-responses", Doc: "ranks of documents", Protocol: completions{}})
	if slices.Contains(RefusedBackends(), "openai-responses") {
		t.Error("a backend that is spoken is refused")
	}
	if got := BackendDoc(); !strings.HasSuffix(got, ", openai-responses is ranks of documents") {
		t.Error(got)
	}
	remove()
	if _, err := FindBackend("openai-responses"); err == nil || !strings.HasPrefix(err.Error(), `backend "openai-responses" is unknown: use one of vllm, openai, openai-chat, `) {
		t.Error(err)
	}
}
