package judged

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "runs", "1")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, text, want, err string }{
		{"one.json", `{"completed": 1, "inferometer": {"run": "` + run + `"}}`, run, ""},
		{"relative.json", `{"inferometer": {"run": "runs/1"}}`, run, ""},
		{"appended.json", "{\"inferometer\": {\"run\": \"/gone\"}}\n{\"inferometer\": {\"run\": \"runs/1\"}}\n", run, ""},
		{"pretty.json", "\n{\n  \"inferometer\": {\n    \"run\": \"runs/1\"\n  }\n}\n", run, ""},
		{"python.json", `{"burstiness": Infinity, "inferometer": {"run": "runs/1"}}`, run, ""},
		{"other.json", `{"completed": 1}`, "", "was not written by inferometer"},
		{"gone.json", `{"inferometer": {"run": "runs/2"}}`, "", "the run's folder is gone"},
		{"words.txt", "hello", "", "is neither a run's folder nor a result"},
		{"empty", "", "", "is neither a run's folder nor a result"},
		{"half.json", "{\"inferometer\": {\"run\": \"runs/1\"}}\n{\"compl", "", "is neither a run's folder nor a result"},
	}
	for _, tt := range tests {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Folder(path)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	if got, err := Folder(run); got != run || err != nil {
		t.Errorf("a folder: %q, %v", got, err)
	}
	t.Chdir(dir)
	if got, err := Folder("runs/1"); got != run || err != nil {
		t.Errorf("a relative folder: %q, %v", got, err)
	}
}
