package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoBuiltinNames fails on a function or method named like a predeclared identifier of Go: a reader
// takes copy(…) and s.true() for the language's own.
func TestNoBuiltinNames(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	for _, room := range []string{"bench", "cmd", "internal", "packaging", "scripts", "site", "test", "tokenizer"} {
		err := filepath.WalkDir(room, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declaration := range file.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if ok && types.Universe.Lookup(function.Name.Name) != nil {
					t.Errorf("%s: %s is a name of the language; choose another", files.Position(function.Pos()), function.Name.Name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
