package tokenizer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// llamaCpp is the source of llama.cpp that scripts/llama-server.sh fetches.
func llamaCpp(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(tokenizersDir()), "llama.cpp-*", "models"))
	if len(found) == 0 {
		t.Skip("no source of llama.cpp here: get it with scripts/llama-server.sh")
	}
	return found[len(found)-1]
}

// TestGGUF holds the vocabularies that llama.cpp tests itself with to its own ids.
func TestGGUF(t *testing.T) {
	models, _ := filepath.Glob(filepath.Join(llamaCpp(t), "ggml-vocab-*.gguf"))
	tested := 0
	for _, path := range models {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "ggml-vocab-"), ".gguf")
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "bert-bge" && name != "llama-spm" {
				t.Skip("not in a short run")
			}
			in, err := os.ReadFile(path + ".inp")
			if err != nil {
				t.Skip("llama.cpp has no ids for it")
			}
			out, err := os.ReadFile(path + ".out")
			if err != nil {
				t.Fatal(err)
			}
			f, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			texts := strings.Split(strings.TrimSuffix(string(in), "\n__ggml_vocab_test__\n"), "\n__ggml_vocab_test__\n")
			want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if len(texts) != len(want) {
				t.Fatalf("%d texts and %d lists of ids", len(texts), len(want))
			}
			for i, text := range texts {
				ids, err := f.Encode(text)
				if got := strings.Trim(fmt.Sprint(ids), "[]"); err != nil || got != strings.TrimSpace(want[i]) {
					t.Errorf("%q:\n%s, %v; want\n%s", text, got, err, want[i])
				}
			}
			tested++
		})
	}
	if tested < 10 && !testing.Short() {
		t.Errorf("%d vocabularies were tested", tested)
	}
}
