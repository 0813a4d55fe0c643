package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// A model's file that the user names is where its tokenizer is looked for; one that holds none is no error, since
// the server can be asked.
func TestModelFileMayHoldATokenizer(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(model, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, there := localTokenizer(model); got != model || !there {
		t.Errorf("localTokenizer(%q) = %q", model, got)
	}
	r := &Run{Spec: &Spec{Server: Server{Model: model}, Load: Load{Unbounded: true}}, host: env(nil), modelID: model}
	if err := r.chooseTokenizer(t.Context()); err != nil || r.tokens.source != tokensByNobody {
		t.Errorf("%s, %v; want none", r.tokens.source, err)
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
