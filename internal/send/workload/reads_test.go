package workload

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Images that a stranger's dataset names are read from its own folder, and none is fetched. In
// a run of the user's own they may lie anywhere.
func TestStrictMedia(t *testing.T) {
	top := t.TempDir()
	own := filepath.Join(top, "own")
	png := []byte("\x89PNG\r\n\x1a\n0000")
	for _, path := range []string{filepath.Join(own, "in.png"), filepath.Join(top, "private.png"), filepath.Join(own, ".hidden.png")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "private.png"), filepath.Join(own, "link.png")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		image, allowed string
		strict         bool
		refused        string
	}{
		{filepath.Join(own, "in.png"), "", true, ""},
		{filepath.Join(top, "private.png"), "", false, ""},
		{filepath.Join(top, "private.png"), "", true, "lies outside of the folder"},
		{"file://" + filepath.Join(top, "private.png"), "", true, "lies outside of the folder"},
		{"file://" + strings.ReplaceAll(filepath.Join(top, "private.png"), "private", "%70rivate"), "", true, "lies outside of the folder"},
		{filepath.Join(own, "link.png"), "", true, "lies outside of the folder"},
		{filepath.Join(own, ".hidden.png"), "", true, "or is hidden in it"},
		{filepath.Join(top, "private.png"), top, true, ""},
		{"http://127.0.0.1:9/x.png", "", true, "nothing is fetched"},
	} {
		line, err := json.Marshal(map[string]any{"prompt": "x", "image_files": []string{c.image}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(own, "rows.jsonl")
		if err := os.WriteFile(path, append(line, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		o := Defaults("custom_image")
		o.Path, o.NumPrompts, o.Chat, o.Reads = path, 1, true, Reads{Strict: c.strict}
		if c.allowed != "" {
			o.Reads.Allowed = []string{c.allowed}
		}
		o.Own.(*CustomImageOptions).Embed = true
		d, err := Open(o)
		if err == nil {
			_, err = d.Next()
			d.Close()
		}
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s, strict %v: %v", c.image, c.strict, err)
		}
	}
}
