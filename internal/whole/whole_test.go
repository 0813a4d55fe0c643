package whole

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWhole: a write that fails in the middle leaves the old file, and nothing beside it.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "ne")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	b, err := os.ReadFile(path)
	files, _ := os.ReadDir(dir)
	if string(b) != "old" || err != nil || len(files) != 1 {
		t.Errorf("%q, %v, %d files", b, err, len(files))
	}
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "new" {
		t.Errorf("%q", b)
	}
}
