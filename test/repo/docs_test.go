package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/site"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Links between our own pages lead somewhere, and so do their anchors.
func TestLinksInDocs(t *testing.T) {
	looked, anchors := 0, map[string]map[string]bool{}
	for _, page := range markdownPages(t) {
		for _, l := range site.Links(readFile(t, page)) {
			looked++
			to := page
			if l.To != "" {
				to = filepath.Join(filepath.Dir(page), filepath.FromSlash(l.To))
			}
			if info, err := os.Stat(to); err != nil || !filepath.IsLocal(to) {
				t.Errorf("%s:%d links to %s, which is not there", page, l.Line, l.To)
				continue
			} else if l.Anchor == "" || info.IsDir() || filepath.Ext(to) != ".md" {
				continue
			}
			if anchors[to] == nil {
				anchors[to] = site.Anchors(readFile(t, to))
			}
			if !anchors[to][l.Anchor] {
				t.Errorf("%s:%d links to #%s, which %s does not have", page, l.Line, l.Anchor, to)
			}
		}
	}
	if looked < 300 {
		t.Errorf("only %d links were found: is the search broken?", looked)
	}
}

// markdownPages are all pages that a reader of the repository may come to.
func markdownPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "examples", "deploy", "tokenizer", "skills", "python", "packaging", "bench"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // not every folder is there yet
			}
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".md" {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

// The exit codes have one file and one page, and both say the same.
func TestExitCodesAreDocumented(t *testing.T) {
	page := readFile(t, filepath.Join("docs", "exit-codes.md"))
	codes := regexp.MustCompile(`Exit\w+\s+= (\d)`).FindAllStringSubmatch(readFile(t, filepath.Join("internal", "bench", "exit.go")), -1)
	if len(codes) < 4 {
		t.Fatalf("found %d exit codes in the source", len(codes))
	}
	for _, c := range codes {
		if !strings.Contains(page, "| "+c[1]+" |") {
			t.Errorf("docs/exit-codes.md does not list %s", c[1])
		}
	}
}

// Each line of the field notes names tests that exist, and the counts under them are those of the lines.
func TestFieldNotesAreShownByTests(t *testing.T) {
	page := readFile(t, filepath.Join("docs", "field-notes.md"))
	tests := allTests(t)
	states, last := map[string]int{}, 0
	for _, row := range regexp.MustCompile(`(?m)^\| \d+ \|.*$`).FindAllString(page, -1) {
		m := regexp.MustCompile(`^\| (\d+) \|.*\| (works|differs|later)(?:: \w+)? \| ([^|]+) \|$`).FindStringSubmatch(row)
		if m == nil {
			t.Errorf("the line has no state and no tests: %s", row)
			continue
		}
		if n, err := strconv.Atoi(m[1]); err != nil || n != last+1 {
			t.Errorf("line %s follows line %d", m[1], last)
		}
		last++
		states[m[2]]++
		for _, name := range strings.Split(m[3], ", ") {
			name = strings.Trim(name, "`")
			script := filepath.Join("internal", "cli", "testdata", "script", name)
			switch {
			case strings.HasPrefix(name, "Test") && tests[name]:
			case !strings.HasSuffix(name, ".txtar"):
				t.Errorf("line %s names %q, which is no test", m[1], name)
			case name == "fieldnotes.txtar" && !strings.Contains(readFile(t, script), "\n# "+m[1]+": "):
				t.Errorf("%s does not do line %s", name, m[1])
			default:
				if _, err := os.Stat(script); err != nil {
					t.Errorf("line %s: %v", m[1], err)
				}
			}
		}
	}
	want := fmt.Sprintf("Of these %d, %d work, %d differ and %d belong", last, states["works"], states["differs"], states["later"])
	if last < 46 || !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
}

// allTests are the names of the tests in Go.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	names, declared := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range declared.FindAllStringSubmatch(readFile(t, path), -1) {
			names[m[1]] = true
		}
		return nil
	})
	if err != nil || len(names) < 1000 {
		t.Fatalf("%d tests, %v", len(names), err)
	}
	return names
}

// Each module that go.mod requires has its row, and no row is of one that is gone.
func TestEachDependencyHasItsRow(t *testing.T) {
	page := readFile(t, filepath.Join("docs", "dependencies.md"))
	direct, _, _ := strings.Cut(readFile(t, "go.mod"), "// indirect")
	required := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(direct, -1) {
		required[m[1]] = true
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+/[^`]+)`").FindAllStringSubmatch(page, -1) {
		rows[m[1]] = true
	}
	for module := range required {
		if !rows[module] {
			t.Errorf("%s has no row in docs/dependencies.md", module)
		}
	}
	for module := range rows {
		if !required[module] {
			t.Errorf("docs/dependencies.md has a row of %s, which go.mod does not require", module)
		}
	}
	if len(required) < 5 {
		t.Errorf("only %d modules were found: is the search broken?", len(required))
	}
}

// makefiles are all targets: make looks for those that are not in the root's file in the two others.
func makefiles(t *testing.T) string {
	t.Helper()
	return readFile(t, "Makefile") + readFile(t, "bench/Makefile") + readFile(t, "test/Makefile")
}

// Each part that we wrote ourselves names a folder that is there, and a command that can be run.
func TestOwnPartsHaveTheirRows(t *testing.T) {
	_, table, found := strings.Cut(readFile(t, filepath.Join("docs", "dependencies.md")), "\n## What we wrote ourselves\n")
	if !found {
		t.Fatal("docs/dependencies.md has no such part")
	}
	makefile := makefiles(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := 0
	for _, m := range regexp.MustCompile("(?m)^\\| (`[^|]*)\\|.*\\|([^|]*)\\|$").FindAllStringSubmatch(table, -1) {
		rows++
		folder := ""
		for _, part := range quoted.FindAllStringSubmatch(m[1], -1) { // folders, and files of the folder before them
			name := part[1]
			if strings.HasSuffix(name, ".go") {
				name = filepath.Join(folder, name)
			} else {
				folder = name
			}
			if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
				t.Errorf("there is no %s", name)
			}
		}
		commands := quoted.FindAllStringSubmatch(m[2], -1)
		if len(commands) == 0 {
			t.Errorf("%s: no command gives its figure", folder)
		}
		for _, c := range commands {
			checkCommand(t, folder, c[1], makefile)
		}
	}
	if rows < 12 {
		t.Errorf("only %d rows were found: is the search broken?", rows)
	}
}

// checkCommand finds the target, script or package that a command runs, and its test or benchmark.
func checkCommand(t *testing.T, row, command, makefile string) {
	t.Helper()
	words := strings.Fields(command)
	switch {
	case words[0] == "make":
		if !strings.Contains(makefile, "\n"+words[1]+":") {
			t.Errorf("%s: the Makefile has no target %s", row, words[1])
		}
	case strings.HasPrefix(words[0], "scripts/"):
		if _, err := os.Stat(words[0]); err != nil {
			t.Errorf("%s: %v", row, err)
		}
	case strings.HasPrefix(command, "go test "):
		checkTestCommand(t, row, words)
	default:
		t.Errorf("%s: %q is no command that this test knows", row, command)
	}
}

func checkTestCommand(t *testing.T, row string, words []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(words[len(words)-1], "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s: %s has no tests", row, words[len(words)-1])
	}
	var sources strings.Builder
	for _, f := range files {
		sources.WriteString(readFile(t, f))
	}
	for i, flag := range words[:len(words)-1] {
		prefix := map[string]string{"-run": "func Test", "-bench": "func Benchmark", "-fuzz": "func Fuzz"}[flag]
		name := strings.TrimPrefix(strings.Trim(words[i+1], "'"), strings.TrimPrefix(prefix, "func "))
		if prefix != "" && name != "^$" && !strings.Contains(sources.String(), prefix+name) {
			t.Errorf("%s: %s has no %s%s", row, words[len(words)-1], strings.TrimPrefix(prefix, "func "), name)
		}
	}
}

// A path that ARCHITECTURE.md or CONTRIBUTING.md names is there. A file's bare name
// belongs to the folder that its row or sentence named before.
func TestPathsInPagesExist(t *testing.T) {
	named := regexp.MustCompile("`([^`\\s]+)`")
	ours := regexp.MustCompile(`^(internal|tokenizer|test|bench|docs|examples|scripts|schema)(/|$)`)
	for _, page := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		checked := 0
		for i, line := range strings.Split(readFile(t, page), "\n") {
			folder := ""
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				path := m[1]
				switch {
				case ours.MatchString(path):
				case strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/"): // of the root, or beside what is tested
					continue
				case folder != "" && strings.HasSuffix(path, ".go"):
					path = folder + "/" + path
				default:
					continue
				}
				checked++
				found, err := filepath.Glob(path)
				if err != nil || len(found) == 0 {
					t.Errorf("%s:%d: %s is not there", page, i+1, path)
				}
				if folder = path; filepath.Ext(path) != "" {
					folder = filepath.Dir(path)
				}
			}
		}
		if checked < 10 {
			t.Errorf("only %d paths of %s were looked at", checked, page)
		}
	}
}
