package tokens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Errors about a file that can't be used say what to do instead; others are left as they are.
func TestLoadHints(t *testing.T) {
	const model = `"model":{"type":"BPE","vocab":{"a":0},"merges":[]}`
	for _, test := range []struct {
		name, file string
		hint       bool
	}{
		{"unsupported", `{"decoder":{"type":"Morse"},` + model + `}`, true},
		{"pattern", `{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"},` + model + `}`, true},
		{"not JSON", `[]`, false},
	} {
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || strings.HasSuffix(err.Error(), "; "+instead) != test.hint {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "; without one, "+instead) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestEncodeHints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	const growing = `{"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`
	file := `{"normalizer":{"type":"Sequence","normalizers":[` + strings.Repeat(growing+",", 4) + growing +
		`]},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, encode := range []func(string) ([]int32, error){f.Encode, f.EncodeWithSpecial} {
		if _, err := encode(strings.Repeat("a", 200)); err == nil || !strings.HasSuffix(err.Error(), "; "+instead) {
			t.Errorf("%v", err)
		}
	}
}
