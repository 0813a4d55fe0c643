package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFindTokenizer(t *testing.T) {
	cache, folder, empty := t.TempDir(), t.TempDir(), t.TempDir()
	snapshots := filepath.Join(cache, "hub", "models--org--tiny", "snapshots")
	write := func(path string, age time.Duration) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(filepath.Join(snapshots, "bbb", "tokenizer.json"), time.Hour)
	write(filepath.Join(snapshots, "aaa", "tokenizer.json"), time.Minute) // the newest
	write(filepath.Join(snapshots, "ccc", "config.json"), 0)
	file := write(filepath.Join(folder, "tokenizer.json"), 0)

	variables := map[string]string{"HF_HOME": cache}
	host := env(variables)
	for name, want := range map[string]string{
		"":              "",
		file:            file,
		folder:          folder,
		empty:           "",
		"org/tiny":      filepath.Join(snapshots, "aaa"),
		"org/other":     "",
		"org/[":         "", // no pattern of its own
		"tiny":          "",
		"../models--og": "",
	} {
		if got := host.findTokenizer(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	// What a server says is looked up in the cache alone, and never opened as a path.
	for name, want := range map[string]string{
		"org/tiny": filepath.Join(snapshots, "aaa"), file: "", folder: "", "/dev/zero": "", "../tiny": "", "org/../tiny": "", "*/*": "", "org/t*": "", "org\x00/tiny": "",
	} {
		if got := host.cachedTokenizer(name); got != want {
			t.Errorf("the server's %q: %q, not %q", name, got, want)
		}
	}
	if got := host.findTokenizer("/dev/zero"); got != "" {
		t.Errorf("a device is no tokenizer: %q", got)
	}
	variables["HF_HUB_CACHE"] = filepath.Join(cache, "hub") // wins over HF_HOME
	variables["HF_HOME"] = empty
	if host.findTokenizer("org/tiny") == "" {
		t.Error("HF_HUB_CACHE is not asked")
	}
	variables["HF_HUB_CACHE"] = ""
	if host.findTokenizer("org/tiny") != "" {
		t.Error("HF_HOME is not asked")
	}
}
