package testfiles

import (
	"os"
	"path/filepath"
	"testing"
)

// Page compares a page of docs/reference with what the code says. With update it writes the page.
func Page(t testing.TB, update bool, name, want string) {
	t.Helper()
	path := filepath.Join(Root(t), "docs", "reference", name)
	if update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/reference/%s is not what the code says: run this test with -update", name)
	}
}
