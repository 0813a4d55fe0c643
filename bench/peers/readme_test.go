package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// README's figures are those that the raw files give.
func TestPageReadme(t *testing.T) {
	root := testfiles.Root(t)
	runs, err := readAll(filepath.Join(root, "testdata", "peers"))
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "README.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begins)
	was, after, closed := strings.Cut(rest, ends)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	want := "\n" + hook(runs) + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(before+begins+want+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if was != want {
		t.Errorf("README's table is not that of testdata/peers: go test ./bench/peers -update; it is\n%s", want)
	}
}
