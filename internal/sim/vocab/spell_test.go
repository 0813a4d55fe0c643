package vocab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer"
)

// TestSpell: a text in tokens is the same text, with whatever tokenizer.
func TestSpell(t *testing.T) {
	list := map[string]Tokenizer{"built in": NewWordTokenizer()}
	for _, name := range []string{"metaspace", "unigram", "wordpiece", "bytes"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "tokenizer", "testdata", name, "tokenizer.json*"))
		if len(files) == 0 {
			continue
		}
		tok, err := tokenizer.Load(files[0])
		if err != nil {
			t.Log(name, err)
			continue
		}
		list[name] = tok
	}
	if len(list) < 3 {
		entries, _ := os.ReadDir(filepath.Join("..", "..", "..", "tokenizer", "testdata"))
		t.Fatalf("only %d tokenizers were found; there are %v", len(list), entries)
	}
	for name, tok := range list {
		for _, text := range []string{"The answer is (B).", "#### 42", "Größe: 3 €, 日本語 👩‍🚀!", "a\n\nb  c", "x"} {
			pieces, err := Spell(tok, text)
			if err != nil {
				t.Errorf("%s: %q: %v", name, text, err)
				continue
			}
			var b strings.Builder
			for _, p := range pieces {
				b.WriteString(p.Text)
				if string(JSONText(p.Text)) != string(p.JSON) || strings.Contains(p.Text, "\uFFFD") {
					t.Errorf("%s: %q: piece %q", name, text, p.Text)
				}
			}
			if b.String() != text {
				t.Errorf("%s: %q became %q", name, text, b.String())
			}
		}
	}
}
