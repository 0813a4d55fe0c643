package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9_]+)\(`)
	fuzzRow    = regexp.MustCompile("(?m)^\\| [^|\n]+ \\| `([a-z0-9/]+)` \\| `(Fuzz[A-Za-z0-9_]+)` \\|$")
)

// The table of docs/endurance.md has each fuzz target of the repository, and none that is gone.
func TestFuzzTargetsAreListed(t *testing.T) {
	there := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range fuzzTarget.FindAllSubmatch(b, -1) {
			there[filepath.ToSlash(filepath.Dir(path))+" "+string(m[1])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("docs", "endurance.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range fuzzRow.FindAllSubmatch(b, -1) {
		listed[string(m[1])+" "+string(m[2])] = true
	}
	for target := range there {
		if !listed[target] {
			t.Errorf("%s is not in the table of docs/endurance.md: say there what it reads", target)
		}
	}
	for target := range listed {
		if !there[target] {
			t.Errorf("docs/endurance.md lists %s, which there is not", target)
		}
	}
}
