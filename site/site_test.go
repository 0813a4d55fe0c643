package site

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/README.md")

const root = ".."

func navigation(t *testing.T) Navigation {
	t.Helper()
	nav, err := ReadNavigation(root)
	if err != nil {
		t.Fatal(err)
	}
	return nav
}

// Each page of docs/ is in one section, and in no second one.
func TestEveryPageHasItsPlace(t *testing.T) {
	listed := map[string]int{}
	for _, p := range navigation(t).Pages() {
		if listed[p.Path]++; listed[p.Path] > 1 {
			t.Errorf("%s is in the navigation twice", p.Path)
		}
		if p.Title == "" {
			t.Errorf("%s has no title", p.Path)
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err == nil && listed[filepath.ToSlash(name)] == 0 {
			t.Errorf("%s is in no section of site/navigation.yaml: no reader of the site finds it", filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// docs/README.md is written from the navigation.
func TestIndex(t *testing.T) {
	testfiles.Written(t, *update, Index, navigation(t).WriteIndex())
}

func TestLinks(t *testing.T) {
	text := "# A `b` c\n\nSee [x](y.md#z), [`code`](../a.md) and `[no](link.md)`, ![p](p.png \"title\").\n\n```\n[no](fence.md)\n```\n\n" +
		"[far](https://example.com/x.md) [here](#a-b-c) [mail](mailto:a@b)\n[ref]: r.md\n"
	want := []Link{{"y.md", "z", 3}, {"../a.md", "", 3}, {"p.png", "", 3}, {"", "a-b-c", 9}, {"r.md", "", 10}}
	if got := Links(text); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// The names are those that code hosts give.
func TestAnchors(t *testing.T) {
	text := "# What is, and what's not?\n## `--metrics-map`\n## [Link](to.md) here\n## Same\n## Same\n```\n# no heading\n```\n### p99 ≤ 5 ms\n## snake_case – dash\n"
	got := Anchors(text)
	want := []string{"what-is-and-whats-not", "--metrics-map", "link-here", "same", "same-1", "p99--5-ms", "snake_case--dash"}
	for _, w := range want {
		if !got[w] {
			t.Errorf("%q is not among %v", w, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}

// What is staged has a page for each line of the menu, and every file that they link to.
func TestStage(t *testing.T) {
	out := t.TempDir()
	if err := Stage(root, out); err != nil {
		t.Fatal(err)
	}
	summary, err := os.ReadFile(filepath.Join(out, "SUMMARY.md"))
	if err != nil {
		t.Fatal(err)
	}
	links := Links(string(summary))
	for _, l := range links {
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(l.To))); err != nil {
			t.Error(err)
		}
	}
	if len(links) < 70 || !strings.Contains(string(summary), "(examples/index.md)") {
		t.Errorf("%d pages; is the folder examples among them?\n%s", len(links), summary)
	}
}

// A link to what is not there, or to outside of the repository, ends the build.
func TestStageRefuses(t *testing.T) {
	for name, text := range map[string]string{"missing": "[x](gone.md)", "outside": "[x](../../etc/passwd)"} {
		dir := t.TempDir()
		files := map[string]string{
			"site/navigation.yaml": "home: README.md\nsections: []\n", "README.md": text, "docs/README.md": "# d\n",
		}
		for file, content := range files {
			full := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Stage(dir, t.TempDir()); err == nil || !strings.Contains(err.Error(), "README.md:1:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A page that the navigation names must be there; a key that is not known is refused.
func TestNavigationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"home: README.md\nsections: [{title: a, pages: [{page: gone.md, title: b}]}]\n": "gone.md",
		"home: README.md\nsektions: []\n":                                               "sektions",
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "site"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "site", "navigation.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadNavigation(dir)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What is left of mdBook's index finds pages by their words and titles.
func TestShrinkSearch(t *testing.T) {
	before := `window.search = Object.assign(window.search, JSON.parse('{"results_options":{"limit_results":30},"search_options":{"bool":"OR","expand":true,"fields":{"body":{"boost":1},"breadcrumbs":{"boost":2},"title":{"boost":3}}},` +
		`"doc_urls":["a.html"],"index":{"fields":["title","body","breadcrumbs"],"pipeline":["trimmer"],"ref":"id","version":"0.9.5","index":{"body":{"root":{"w":{"df":1,"docs":{"0":{"tf":1.4142135623730951}}}}},"breadcrumbs":{"root":{}},` +
		`"title":{"root":{}}},"documentStore":{"docs":{"0":{"body":"it\'s a \\"word\\"","breadcrumbs":"A » b"}}},"lang":"English"}}'));`
	want := `window.search = Object.assign(window.search, JSON.parse('{"results_options":{"limit_results":30},"search_options":{"bool":"OR","expand":true,"fields":{"body":{"boost":1},"title":{"boost":3}}},` +
		`"doc_urls":["a.html"],"index":{"fields":["title","body"],"pipeline":["trimmer"],"ref":"id","version":"0.9.5","index":{"body":{"root":{"w":{"df":1,"docs":{"0":{"tf":1.41}}}}},` +
		`"title":{"root":{}}},"documentStore":{"docs":{"0":{"body":"it\'s a \\"word\\"","breadcrumbs":"A » b"}}},"lang":"English"}}'));`
	dir := t.TempDir()
	file := filepath.Join(dir, "searchindex-1234.js")
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ShrinkSearch(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, other := range []string{"", "x", strings.Replace(before, `"ref"`, `"reference"`, 1)} {
		if _, err := shrink([]byte(other)); err == nil {
			t.Errorf("%.80q was taken for mdBook's index", other)
		}
	}
}
