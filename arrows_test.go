// Package inferometer_test checks what holds for the whole repository.
package inferometer_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "github.com/inferometer/inferometer/"
	internal = module + "internal/"
)

// arrows say which packages of ours a package may import. ARCHITECTURE.md draws
// them. What is not listed may import nothing of ours.
var arrows = map[string][]string{
	"cli":      {"*"},
	"scenario": {"mdtable", "measure", "target", "journal", "serverlog", "slo", "whole"},
	"load":     {"workload", "pace", "wire", "target", "journal"},
	"journal":  {"lock"},
	"target":   {"lock"},
	"workload": {"tokenizer", "nprand"},
	"pace":     {"nprand"},
	"chart":    {},
	"parquet":  {},
	"results":  {"serverlog"},
	"compare":  {"results", "stats"},
	"measure":  {"journal", "stats", "slo"},
	"history":  {"journal", "results", "stats"},
	"site":     {"history", "compare", "results", "report", "chart", "journal"},
	"verdict":  {"journal"},
	"selftest": {"journal"}, // and not sim: its truth comes in a file
	"timeline": {"measure", "journal"},
	"report":   {"measure", "verdict", "journal", "timeline", "chart", "parquet", "slo", "compat"},
	"doctor":   {"wire", "target"},
	"sweep":    {"target", "chart", "compat", "whole"},
	"search":   {"slo"},
	"sim":      {}, // an error in the wire must not be repeated in the truth
}

// everywhere are packages of no job but their own, which any other may import.
var everywhere = []string{"outside"}

func TestImportArrows(t *testing.T) {
	checked := 0
	used := map[[2]string]bool{}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := strings.Split(filepath.ToSlash(path), "/")[1]
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			rest, ours := strings.CutPrefix(name, internal)
			if !ours {
				continue
			}
			checked++
			to, _, _ := strings.Cut(rest, "/")
			used[[2]string{from, to}] = true
			allowed := slices.Concat(arrows[from], everywhere)
			if to != from && !slices.Contains(allowed, to) && !slices.Contains(allowed, "*") {
				t.Errorf("%s: %s may not import %s", path, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for from, allowed := range arrows {
		for _, to := range allowed {
			if to != "*" && !used[[2]string{from, to}] {
				t.Errorf("%s may import %s, and does not: take the arrow out", from, to)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d imports were checked: is the walk broken?", checked)
	}
}

// Only cli talks to the user: no other package prints, exits or reads flags and
// the environment.
func TestOnlyCLITalksToTheUser(t *testing.T) {
	forbidden := []string{"os.Exit(", "fmt.Print(", "fmt.Printf(", "fmt.Println(", "os.Stdout", "os.Stderr", "os.Getenv(", `"flag"`, "log.Print"}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(filepath.ToSlash(path), "internal/cli/") {
			return err
		}
		source := readFile(t, path)
		for _, word := range forbidden {
			if strings.Contains(source, word) {
				t.Errorf("%s holds %s", path, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
