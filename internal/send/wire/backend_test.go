package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestBackends(t *testing.T) {
	if got := strings.Join(Backends(), " "); got != "vllm openai openai-chat" {
		t.Error(got)
	}
	if got := BackendDoc(); got != "vllm and openai are completions, openai-chat is chat completions" {
		t.Error(got)
	}
	remove := Register(&Backend{Name: "vllm-rerank", Doc: "ranks of documents", Protocol: completions{}})
	if slices.Contains(RefusedBackends(), "vllm-rerank") {
		t.Error("a backend that is spoken is refused")
	}
	if got := BackendDoc(); !strings.HasSuffix(got, ", vllm-rerank is ranks of documents") {
		t.Error(got)
	}
	remove()
	if _, err := ForBackend("vllm-rerank"); err == nil || err.Error() != `backend "vllm-rerank" is unknown: use one of vllm, openai, openai-chat` {
		t.Error(err)
	}
}
