package target

import (
	"context"
	"encoding/json"
	"strings"
)

// Identity is what a server says of itself, and what we take it for.
type Identity struct {
	Kind    string // vLLM, llama.cpp, SGLang, TGI, Ollama, Inferometer; empty: not known
	Version string // empty: not told
}

// kinds are the servers that we know, by what they say at /v1/models, and where
// they tell their version.
var kinds = []struct {
	kind, owner, path, field string
}{
	{"vLLM", "vllm", "/version", "version"},
	{"llama.cpp", "llamacpp", "/props", "build_info"},
	{"SGLang", "sglang", "/get_server_info", "version"},
	{"Ollama", "library", "/api/version", "version"},
	{"Inferometer", "inferometer", "/version", "version"}, // its version is sim,
}

// OldLimit says whether a server's chat is bounded by max_tokens, which OpenAI has given
// up for max_completion_tokens. Ollama and TGI know only the old name, and llama.cpp did
// so for long. All take both. Others must not get both: OpenAI itself refuses them together.
func (i Identity) OldLimit() bool {
	switch i.Kind {
	case "Ollama", "TGI", "llama.cpp":
		return true
	}
	return false
}

// TextsOnly says that a server takes prompts as texts and not as token ids. Such a one
// knows no ignore_eos either.
func (i Identity) TextsOnly() bool { return i.Kind == "Ollama" }

// Identify asks a server what it is. The owner of its models says it at once; TGI
// writes the model's name there, and gateways their own, so that paths are tried.
func (t *Target) Identify(ctx context.Context, models []Model) Identity {
	for _, k := range kinds {
		for _, m := range models {
			if strings.EqualFold(m.OwnedBy, k.owner) {
				return Identity{k.kind, t.field(ctx, k.path, k.field)}
			}
		}
	}
	if v := t.field(ctx, "/info", "version"); v != "" && t.field(ctx, "/info", "model_id") != "" {
		return Identity{"TGI", v}
	}
	if v := t.field(ctx, "/api/version", "version"); v != "" {
		return Identity{"Ollama", v}
	}
	return Identity{Version: t.field(ctx, "/version", "version")}
}

// field reads a text of a JSON object; empty where there is none.
func (t *Target) field(ctx context.Context, path, name string) string {
	b, err := t.get(ctx, path)
	if err != nil {
		return ""
	}
	var object map[string]json.RawMessage
	var text string
	if json.Unmarshal(b, &object) != nil || json.Unmarshal(object[name], &text) != nil {
		return ""
	}
	return t.secrets().Word(text)
}
