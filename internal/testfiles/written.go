package testfiles

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Written compares a file that is written from the code, by its path in the repository, with what the code says. With update it
// writes the file.
func Written(t testing.TB, update bool, path, want string) {
	t.Helper()
	file := filepath.Join(Root(t), filepath.FromSlash(path))
	if update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s is not what the code says: run this test with -update\n%s", path, diff)
	}
}
