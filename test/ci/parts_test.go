package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// The table is whole: what is needed is got, by a script that is there; names are told apart.
func TestParts(t *testing.T) {
	names, needed := map[string]bool{}, map[string]bool{}
	for _, p := range parts {
		if names[p.name] {
			t.Errorf("two parts are called %s", p.name)
		}
		names[p.name] = true
		for _, n := range p.needs {
			needed[n] = true
			if !slices.ContainsFunc(gets, func(g get) bool { return g.name == n }) {
				t.Errorf("%s needs %s, which nothing gets", p.name, n)
			}
		}
		if kinds := len(p.run) > 0; kinds == (len(p.packages) > 0 || p.of != nil || p.again != nil) {
			t.Errorf("%s is neither a command nor tests, or both", p.name)
		}
		for _, name := range p.packages {
			if found, _ := filepath.Glob(filepath.Join("..", "..", name, "*_test.go")); len(found) == 0 {
				t.Errorf("%s: %s has no tests", p.name, name)
			}
		}
	}
	for _, g := range gets {
		if !needed[g.name] {
			t.Errorf("nothing needs %s", g.name)
		}
		if _, err := os.Stat(filepath.Join("..", "..", g.run[0])); err != nil {
			t.Error(err)
		}
	}
}

// Each rung runs all that the one before does: a part that only one rung runs has its like in the next.
func TestRungsAreSupersets(t *testing.T) {
	packages := func(r rung) map[string]bool {
		out := map[string]bool{}
		for _, p := range parts {
			if p.in(r) {
				for _, name := range p.chosen(everyPackage(t)) {
					out[strings.TrimPrefix(short(name), "./")] = true
				}
				if p.run != nil {
					out[strings.Join(p.run, " ")] = true
				}
			}
		}
		return out
	}
	before := packages(quick)
	for _, r := range []rung{landing, all} {
		now := packages(r)
		for what := range before {
			if !now[what] {
				t.Errorf("%s does not run %s", r, what)
			}
		}
		if len(now) <= len(before) {
			t.Errorf("%s has %d, the rung before %d", r, len(now), len(before))
		}
		before = now
	}
	for _, name := range everyPackage(t) {
		if !before[short(name)] {
			t.Errorf("nothing ever tests %s", name)
		}
	}
}

// everyPackage are the packages with tests.
func everyPackage(t *testing.T) []string {
	t.Helper()
	var out []string
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains(words("testdata bin dist build node_modules"), d.Name())) && path != root {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			name := module + "/" + filepath.ToSlash(rel)
			if rel == "." {
				name = module
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return nil
	})
	if err != nil || len(out) < 100 {
		t.Fatalf("%d packages, %v", len(out), err)
	}
	return out
}
