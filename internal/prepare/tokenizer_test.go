package prepare

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/hub/hubtest"
	"github.com/inferometer/inferometer/internal/spec"
)

func TestLocalTokenizer(t *testing.T) {
	folder, empty := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "tokenizer.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "", file: file, folder: folder, empty: "", "/dev/zero": "", "org/other": ""} {
		if got, _ := spec.LocalTokenizer(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

func TestCachedTokenizer(t *testing.T) {
	cache, empty := t.TempDir(), t.TempDir()
	snapshots := filepath.Join(cache, "hub", "models--org--tiny", "snapshots")
	snapshot := func(letter, file string, age time.Duration) string {
		t.Helper()
		folder := filepath.Join(snapshots, strings.Repeat(letter, 40))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, file), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(folder, at, at); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	old := snapshot("b", "tokenizer.json", time.Hour)
	newest := snapshot("a", "tokenizer.json", time.Minute)
	snapshot("c", "weights.bin", 0)

	variables := map[string]string{"HF_HOME": cache}
	host := env(variables)
	// What a server says is looked up in the cache alone, and never opened as a path.
	for name, want := range map[string]string{
		"org/tiny": newest, "org/other": "", "tiny": "", newest: "", "/dev/zero": "", "../tiny": "", "org/../tiny": "", "*/*": "", "org/t*": "", "org/[": "", "org\x00/tiny": "", "": "",
	} {
		if got, _ := host.cachedTokenizer(name, ""); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	if got, commit := host.cachedTokenizer("org/tiny", strings.Repeat("b", 40)); got != old || commit != filepath.Base(old) {
		t.Errorf("a commit: %q, %q", got, commit)
	}
	variables["HF_HUB_CACHE"] = filepath.Join(cache, "hub") // wins over HF_HOME
	variables["HF_HOME"] = empty
	if got, _ := host.cachedTokenizer("org/tiny", ""); got == "" {
		t.Error("HF_HUB_CACHE is not asked")
	}
	variables["HF_HUB_CACHE"] = ""
	if got, _ := host.cachedTokenizer("org/tiny", ""); got != "" {
		t.Error("HF_HOME is not asked")
	}
}

const tinyTokenizer = `{"version":"1.0","added_tokens":[],"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}`

// A name that the user gave is fetched, with its tokenizer's files and no others; a name
// that a server gave is not.
func TestTokenizerByName(t *testing.T) {
	server := hubtest.New(
		&hubtest.Repo{Name: "org/tiny", Files: map[string]string{"tokenizer.json": tinyTokenizer, "tokenizer_config.json": "{}", "model.safetensors": "weights", "modeling.py": "code"}},
		&hubtest.Repo{Name: "org/none", Files: map[string]string{"config.json": "{}", "model.gguf": "GGUF"}},
	)
	defer server.Close()
	for _, one := range []struct {
		tokenizer, model, offline string
		source, err               string
		asked                     bool
	}{
		{"org/tiny", "", "", TokensByFile, "", true},
		{"", "org/tiny", "", TokensByFile, "", true},
		{"", "", "", TokensByNobody, "", false}, // the server says org/tiny
		{"", "org/none", "", TokensByNobody, "", true},
		{"", "org/absent", "", TokensByNobody, "", true},
		{"", "org/tiny", "1", TokensByNobody, "", false},
		{"org/none", "", "", "", "has no tokenizer", true},
		{"org/tniy", "", "", "", "did you mean org/tiny?", true},
		{"org/tiny", "", "1", "", "HF_HUB_OFFLINE", false},
		{"no/such/path", "", "", "", "or a model's name", false},
		{"nowhere.json", "", "", "", "is not a tokenizer file", false},
		{"", "org/model.gguf", "", TokensByNobody, "", false},
	} {
		r := &Ready{
			Spec: &spec.Spec{Server: spec.Server{Tokenizer: one.tokenizer, Model: one.model}, Load: spec.Load{Unbounded: true}},
			host: env(map[string]string{"HF_HOME": t.TempDir(), "HF_ENDPOINT": server.URL, "HF_HUB_OFFLINE": one.offline}), Chosen: Model{ID: one.model},
		}
		if one.model == "" {
			r.Chosen.ID = "org/tiny"
		}
		err := r.chooseTokenizer(t.Context())
		switch {
		case one.err != "":
			if err == nil || !strings.Contains(err.Error(), one.err) {
				t.Errorf("%+v: %v", one, err)
			}
		case err != nil || r.Tokens.Source != one.source:
			t.Errorf("%+v: %s, %v", one, r.Tokens.Source, err)
		case one.source == TokensByFile && (len(r.TokenizerRevision) != 40 || r.Tokens.Revision != r.TokenizerRevision):
			t.Errorf("%+v: revision %q", one, r.TokenizerRevision)
		}
		seen := server.Requests()
		if len(seen) > 0 != one.asked {
			t.Errorf("%+v: the hub was asked %v", one, seen)
		}
		if slices.ContainsFunc(seen, func(s hubtest.Seen) bool {
			return s.Method != http.MethodGet || strings.Contains(s.Path, "safetensors") || strings.Contains(s.Path, ".py")
		}) {
			t.Errorf("%v", seen)
		}
	}
}
