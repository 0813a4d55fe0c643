// Package testfiles finds the files that the tests of several packages read:
// recordings of vLLM's client, results and metrics of other tools, tokenizer
// references. They lie in testdata at the root of the repository, so that a fresh
// clone can fail; testdata/README.md says where each comes from.
package testfiles

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path is the path of a file in testdata at the root. One that is not there fails the test.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Root(t), "testdata"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Glob lists the files of testdata at the root that match a pattern. That none does fails the test.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(Root(t), "testdata", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no file matches testdata/%s: %v", pattern, err)
	}
	return found
}

// Notes are the five notes of docs/field-notes.md as their authors wrote them. They carry no licence, so they are
// not in the repository; without them the test is skipped.
func Notes(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("INFEROMETER_NOTES")
	if dir == "" {
		dir = filepath.Join(Root(t), "..", "shared", "seeds")
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(found) == 0 {
		t.Skip("the field notes may not be copied into the repository: set INFEROMETER_NOTES to a folder that has them")
	}
	return found
}

// JSON reads a file of testdata, unpacked if its name ends with .gz.
func JSON(t testing.TB, into any, parts ...string) {
	t.Helper()
	path := Path(t, parts...)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewDecoder(r).Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Root is the folder of the repository: the nearest above the test's own that has a go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}
