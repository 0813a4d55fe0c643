package repo

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// maxFiles is how many files of a package a reader keeps in mind.
const maxFiles = 25

// TestFilesOfAPackage: a package that outgrows its reader is two packages.
func TestFilesOfAPackage(t *testing.T) {
	count := map[string]int{}
	for _, top := range []string{"bench", "cmd", "internal", "test", "tokenizer"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				count[filepath.Dir(path)]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(count) < 100 {
		t.Fatalf("only %d packages were found", len(count))
	}
	for dir, n := range count {
		if n > maxFiles {
			t.Errorf("%s has %d files, above %d: split it by what they do", dir, n, maxFiles)
		}
	}
}
