package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// llama.cpp's server names its model by its path. Where it runs on this machine
// the file is found, but it is no tokenizer.json: the server is asked, without a note.
func TestModelFileIsNoTokenizer(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(model, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, there := localTokenizer(model); got != "" || !there {
		t.Errorf("localTokenizer(%q) = %q, want none", model, got)
	}
}

// A path that a server gives as its model's root is not opened; the same path from
// the user is.
func TestAServersWordIsNoPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(file, []byte(tinyTokenizer), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, want string }{{"", tokensByNobody}, {file, tokensByFile}} {
		r := &Run{Spec: &Spec{Server: Server{Model: c.model}, Load: Load{Unbounded: true}}, host: env(map[string]string{"HF_HOME": t.TempDir()}), modelID: file}
		if err := r.chooseTokenizer(t.Context()); err != nil || r.tokens.source != c.want {
			t.Errorf("--model %q: %s, %v; want %s", c.model, r.tokens.source, err, c.want)
		}
	}
}
