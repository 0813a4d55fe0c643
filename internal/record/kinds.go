package record

import (
	"net/http"
	"strings"

	"github.com/inferometer/inferometer/internal/send/protocol"
)

// kind is an API that is recorded, known by its path.
type kind struct {
	path    string // as its requests' paths end; only this is written down, as what is before it may be a key
	backend string // that reads its answers
	chat    bool   // the prompt is messages
}

// kinds are looked through from the top: a path may end like a later one too.
var kinds = []kind{
	{"/chat/completions", "openai-chat", true},
	{"/completions", "openai", false},
	{"/v1/responses", "openai-responses", true},
	{"/v1/messages", "anthropic", true},
	{"/embeddings", "openai-embeddings", false},
	{"/pooling", "vllm-pooling", false},
	{"/rerank", "vllm-rerank", false},
	{"/score", "vllm-rerank", false},
	{"/api/generate", "ollama", false},
	{"/api/chat", "ollama-chat", true},
	{"/generate_stream", "tgi", false},
	{"/generate", "sglang", false},
	{"/completion", "llamacpp", false},
}

// kindOf is that of a request; nil: it is not recorded.
func kindOf(method, path string) *kind {
	if method != http.MethodPost {
		return nil
	}
	path = strings.TrimSuffix(path, "/")
	for i := range kinds {
		if strings.HasSuffix(path, kinds[i].path) {
			return &kinds[i]
		}
	}
	return nil
}

// generates says whether its answers are texts, which a later request may go on from.
func (k *kind) generates() bool {
	b, err := protocol.FindBackend(k.backend)
	return err == nil && b.Streams()
}

// backendOf is what reads an answer of a media type; nil: nothing here can.
func (k *kind) backendOf(media string) (b *protocol.Backend, stream bool) {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	media = strings.TrimSpace(media)
	stream = media == "text/event-stream" || media == "application/x-ndjson"
	b, err := protocol.FindBackend(k.backend)
	if err != nil {
		return nil, stream
	}
	if stream && !b.Streams() {
		return nil, stream
	}
	if !stream && b.Streams() {
		if b, err = b.Unstreamed(); err != nil {
			return nil, stream
		}
	}
	return b, stream
}
