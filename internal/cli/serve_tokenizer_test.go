package cli

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
	if got := findTokenizer(model); got != "" {
		t.Errorf("findTokenizer(%q) = %q, want none", model, got)
	}
}
