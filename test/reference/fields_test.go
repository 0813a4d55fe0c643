package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goTypes are the structs of a package.
type goTypes struct {
	t       *testing.T
	files   *token.FileSet
	structs map[string]*ast.StructType
	titles  map[string]string // of the sections that show them
}

func readTypes(t *testing.T, folder string) *goTypes {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	g := &goTypes{t, token.NewFileSet(), map[string]*ast.StructType{}, map[string]string{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(g.files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					g.structs[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return g
}

// rows are the JSON keys of a struct with the comments of its fields. Fields right below each other share the comment
// before the first.
func (g *goTypes) rows(name string) (rows [][2]string) {
	s := g.structs[name]
	if s == nil {
		g.t.Fatalf("there is no type %s", name)
	}
	last, shared := 0, false // the line of the field before; whether its comment is for those below it too
	for _, f := range s.Fields.List {
		line := g.files.Position(f.Pos()).Line
		key := g.key(f)
		switch {
		case len(f.Names) == 0: // embedded
			rows = append(rows, g.rows(f.Type.(*ast.Ident).Name)...)
		case key == "":
		case f.Doc == nil && f.Comment == nil && len(rows) > 0 && (shared && line == last+1 || rows[len(rows)-1][1] == ""):
			rows[len(rows)-1][0] += "`, `" + key
		default:
			rows = append(rows, [2]string{key, g.doc(name, f)})
			shared = f.Doc != nil
		}
		last = line
	}
	return rows
}

// key is what a field is written under in JSON. Empty: it is not written.
func (g *goTypes) key(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		g.t.Fatal(err)
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return strings.Trim(key, "-")
}

// doc is what the comment of a field says, without its name before it, and with keys in place of the names of fields.
func (g *goTypes) doc(owner string, f *ast.Field) string {
	comment := f.Comment.Text()
	if f.Comment == nil {
		comment = f.Doc.Text()
	}
	comment = strings.Join(strings.Fields(comment), " ")
	for _, word := range []string{" is ", " are ", " counts ", ": "} {
		if rest, ok := strings.CutPrefix(comment, f.Names[0].Name+word); ok {
			comment = rest
			break
		}
	}
	comment = goName.ReplaceAllStringFunc(comment, func(name string) string {
		of, field, found := strings.Cut(name, ".")
		if !found {
			of, field = owner, name
		}
		key := g.keyOf(of, field)
		switch {
		case key == "":
			return name
		case found && of != owner:
			key = g.titles[of] + "." + key
		}
		return "`" + key + "`"
	})
	return strings.TrimSuffix(comment, ".")
}

var goName = regexp.MustCompile(`\b[A-Z]\w*(\.[A-Z]\w*)*`)

// keyOf is the key of a field, by a path such as Fleet.Agents too. Empty: there is no such field.
func (g *goTypes) keyOf(of, path string) string {
	field, rest, deeper := strings.Cut(path, ".")
	s := g.structs[of]
	if s == nil {
		return ""
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || f.Names[0].Name != field {
			continue
		}
		if !deeper {
			return g.key(f)
		}
		if star, ok := f.Type.(*ast.StarExpr); ok {
			return g.key(f) + "." + g.keyOf(star.X.(*ast.Ident).Name, rest)
		}
	}
	return ""
}

// page is a page of types: each with its title, and a sentence about it.
func (g *goTypes) page(head string, sections [][3]string) string {
	for _, s := range sections {
		g.titles[s[0]] = s[1]
	}
	var b strings.Builder
	b.WriteString(head)
	for _, s := range sections {
		section := table{title: s[1], about: s[2], rows: g.rows(s[0])}
		section.write(&b)
	}
	return b.String()
}
