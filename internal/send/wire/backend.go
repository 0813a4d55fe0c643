package wire

import (
	"fmt"
	"slices"
	"strings"
)

// Backend is a protocol under the name that --backend knows it by. It is all that
// flags, scenarios, schemas and documents know of it.
type Backend struct {
	Name string
	Doc  string // what it is, as in "chat completions"
	Chat bool   // the server makes the prompt of messages, by the model's chat template
	Protocol
}

// backends is the one place where a backend is registered.
var backends = []*Backend{vllm, openAI, openAIChat}

// Register adds a backend and returns how to take it out again: for tests.
func Register(b *Backend) (remove func()) {
	if _, err := FindBackend(b.Name); err == nil {
		panic(fmt.Sprintf("wire: backend %s is registered twice", b.Name))
	}
	backends = append(backends, b)
	return func() {
		backends = slices.DeleteFunc(slices.Clone(backends), func(other *Backend) bool { return other == b })
	}
}

// Backends lists the names in the order of the table.
func Backends() []string {
	names := make([]string, len(backends))
	for i, b := range backends {
		names[i] = b.Name
	}
	return names
}

// FindBackend is the backend with this name.
func FindBackend(name string) (*Backend, error) {
	for _, b := range backends {
		if b.Name == name {
			return b, nil
		}
	}
	return nil, fmt.Errorf("unknown backend %q: known are %s", name, strings.Join(Backends(), ", "))
}

// ForBackend finds the protocol of a backend.
func ForBackend(name string) (Protocol, error) {
	b, err := FindBackend(name)
	if err != nil {
		return nil, err
	}
	return b.Protocol, nil
}

// RefusedBackends are those of vLLM that are not spoken here.
func RefusedBackends() []string {
	theirs := []string{
		"openai-audio", "openai-embeddings", "openai-embeddings-chat", "openai-embeddings-clip", "openai-embeddings-vlm2vec",
		"infinity-embeddings", "infinity-embeddings-clip", "vllm-pooling", "vllm-rerank",
	}
	return slices.DeleteFunc(theirs, func(name string) bool { return slices.Contains(Backends(), name) })
}

// BackendDoc says of all backends what they are, those of one kind together.
func BackendDoc() string {
	var docs []string
	names := map[string][]string{}
	for _, b := range backends {
		if names[b.Doc] == nil {
			docs = append(docs, b.Doc)
		}
		names[b.Doc] = append(names[b.Doc], b.Name)
	}
	for i, doc := range docs {
		verb := " is "
		if len(names[doc]) > 1 {
			verb = " are "
		}
		docs[i] = strings.Join(names[doc], " and ") + verb + doc
	}
	return strings.Join(docs, ", ")
}
