package verdict

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestServedModel(t *testing.T) {
	vllm := func(id, root string) journal.Served { return journal.Served{ID: id, Root: root, OwnedBy: "vllm"} }
	llama := func(id string) journal.Served { return journal.Served{ID: id, OwnedBy: "llamacpp"} }
	for name, c := range map[string]struct {
		named, sent string
		list        []journal.Served
		want        Level
	}{
		"as named":                    {"Qwen/Qwen3-8B", "Qwen/Qwen3-8B", []journal.Served{vllm("Qwen/Qwen3-8B", "Qwen/Qwen3-8B")}, OK},
		"none named":                  {"", "x", []journal.Served{vllm("x", "Qwen/Qwen3-8B-AWQ")}, OK},
		"an alias":                    {"Qwen/Qwen3-8B", "prod", []journal.Served{vllm("prod", "Qwen/Qwen3-8B")}, OK},
		"an alias of a local folder":  {"Qwen/Qwen3-8B", "prod", []journal.Served{vllm("prod", "/models/Qwen3-8B")}, OK},
		"a folder that tells nothing": {"Qwen/Qwen3-8B", "prod", []journal.Served{vllm("prod", "/data/checkpoint-3000")}, OK},
		"another quantisation":        {"Qwen/Qwen3-8B", "prod", []journal.Served{vllm("prod", "/models/Qwen3-8B-FP8")}, Suspect},
		"another size":                {"Qwen/Qwen3-8B", "prod", []journal.Served{vllm("prod", "Qwen/Qwen3-32B")}, Suspect},
		"AWQ for GPTQ":                {"a/M-7B-GPTQ", "m", []journal.Served{vllm("m", "a/M-7B-AWQ")}, Suspect},
		"bf16 is the usual":           {"a/M-7B", "m", []journal.Served{vllm("m", "a/M-7B-bf16")}, OK},
		"not listed":                  {"gpt-4o", "gpt-4o", []journal.Served{{ID: "Qwen/Qwen3-8B", OwnedBy: "sglang"}}, Suspect},
		"listed by its last part":     {"Qwen3-8B", "Qwen3-8B", []journal.Served{{ID: "Qwen/Qwen3-8B", OwnedBy: "sglang"}}, OK},
		"listed in another form":      {"Qwen3-8B", "Qwen3-8B", []journal.Served{{ID: "Qwen/Qwen3-8B-FP8", OwnedBy: "sglang"}}, Suspect},
		"Ollama's tag":                {"llama3.2", "llama3.2", []journal.Served{{ID: "qwen:1b", OwnedBy: "library"}, {ID: "llama3.2:latest", OwnedBy: "library"}}, OK},
		"a gateway with many":         {"b", "b", []journal.Served{{ID: "a"}, {ID: "b"}, {ID: "c"}}, OK},
		"llama.cpp, any name":         {"sim", "sim", []journal.Served{llama("/m/gemma-3-4b-it-Q4_K_M.gguf")}, OK},
		"llama.cpp, the tokenizer's":  {"Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B", []journal.Served{llama("Qwen3-0.6B-Q8_0.gguf")}, OK},
		"llama.cpp, as named":         {"Qwen3-0.6B-Q8_0", "Qwen3-0.6B-Q8_0", []journal.Served{llama("/models/Qwen3-0.6B-Q8_0.gguf")}, OK},
		"llama.cpp, other weights":    {"Qwen3-0.6B-Q4_K_M", "Qwen3-0.6B-Q4_K_M", []journal.Served{llama("Qwen3-0.6B-Q8_0.gguf")}, Suspect},
		"llama.cpp, another size":     {"Qwen3-8B", "Qwen3-8B", []journal.Served{llama("Qwen3-0.6B-Q8_0.gguf")}, Suspect},
		"no list":                     {"a", "a", nil, NotChecked},
		"an old journal":              {"", "", []journal.Served{{ID: "a"}}, NotChecked},
	} {
		t.Run(name, func(t *testing.T) {
			w := openLoop()
			w.run.Options.Model, w.run.Options.SentModel, w.run.Serves = c.named, c.sent, c.list
			w.derive()
			if k := w.judge(t, Options{}).Check("model"); k.Level != c.want {
				t.Errorf("%s: %s", k.Level, k.Sentence)
			}
		})
	}
}

// Names come from a server: no name makes it slow or panic.
func FuzzOtherModel(f *testing.F) {
	f.Add("Qwen/Qwen3-8B", "prod", "/models/Qwen3-8B-AWQ", "vllm")
	f.Add("7b-7b-7b", "fp8fp8", "_q4_0_q4_0_", "llamacpp")
	f.Fuzz(func(_ *testing.T, named, sent, root, owner string) {
		otherModel(named, sent, []journal.Served{{ID: sent, Root: root, OwnedBy: owner}})
		otherModel(named, root, []journal.Served{{ID: sent, Root: root, OwnedBy: owner}})
	})
}
