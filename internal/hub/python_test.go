package hub

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/hub/hubtest"
)

// TestPythonClient holds cache and stand-in against Python's huggingface_hub: it
// downloads from the stand-in as from the hub; it reads the cache that we wrote; we read
// the one that it wrote; and the two hold the same. INFEROMETER_HUB_PYTHON names a
// Python that has the package, or several with ":" between them.
func TestPythonClient(t *testing.T) {
	pythons := os.Getenv("INFEROMETER_HUB_PYTHON")
	if pythons == "" {
		t.Skip("INFEROMETER_HUB_PYTHON names no Python with huggingface_hub")
	}
	for python := range strings.SplitSeq(pythons, ":") {
		t.Run(python, func(t *testing.T) { testPython(t, python) })
	}
}

func testPython(t *testing.T, python string) {
	set := &hubtest.Repo{Dataset: true, Name: "org/set", Files: map[string]string{"data/train-0.jsonl": `{"prompt":"p"}`, "README.md": ""}}
	gated := tiny()
	gated.Name, gated.Gated = "org/tiny-gated", true
	server, c := start(t, tiny(), gated, set)
	server.Page = 2
	run := func(how, cache string) string {
		t.Helper()
		cmd := exec.Command(python, "testdata/client.py", how, "org/tiny", "org/set")
		cmd.Env = append(os.Environ(), "HF_ENDPOINT="+server.URL, "HF_HUB_CACHE="+cache, "HF_HOME="+t.TempDir(), "HF_HUB_DISABLE_TELEMETRY=1", "HF_HUB_DISABLE_PROGRESS_BARS=1", "HF_TOKEN=", "HF_HUB_OFFLINE=0")
		if how == "read" {
			cmd.Env = append(cmd.Env, "HF_HUB_OFFLINE=1")
		}
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", how, err, errors.String())
		}
		t.Logf("%s: huggingface_hub %s", how, strings.TrimSpace(errors.String()))
		return string(out)
	}
	want := "org/tiny-gated tokenizer.json None GatedRepoError\norg/absent x None RepositoryNotFoundError\norg/tiny absent.json None EntryNotFoundError\norg/tiny config.json v9 RevisionNotFoundError\n"
	if got := strings.ReplaceAll(run("errors", t.TempDir()), "RemoteEntryNotFoundError", "EntryNotFoundError"); got != want { // its name since 1.0
		t.Errorf("what can't be had is\n%snot\n%s", got, want)
	}
	theirs := t.TempDir()
	downloaded := run("download", theirs)

	// Ours, read by Python, is what Python has by itself.
	for kind, name := range map[Kind]string{Model: "org/tiny", Dataset: "org/set"} {
		want := Patterns{"tokenizer.json", "config.json", "empty.model", "chat_template.jinja"}
		if kind == Dataset {
			want = Patterns{"data/*.jsonl"}
		}
		if _, err := c.Snapshot(t.Context(), kind, name, "", want); err != nil {
			t.Fatal(err)
		}
	}
	if read := run("read", c.CacheDir); read != downloaded {
		t.Errorf("Python reads our cache as\n%s\nand its own as\n%s", read, downloaded)
	}
	// Theirs, read by us, needs no hub.
	server.Requests()
	own := *c
	own.CacheDir, own.Offline = theirs, true
	got, err := own.Snapshot(t.Context(), Model, "org/tiny", "", Patterns{"tokenizer.json", "config.json", "empty.model", "chat_template.jinja"})
	if err != nil || len(got.Files) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := own.Snapshot(t.Context(), Dataset, "org/set", "", Patterns{"data/*.jsonl"}); err != nil || len(got.Files) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if seen := server.Requests(); len(seen) > 0 {
		t.Errorf("the hub was asked: %v", seen)
	}
}
