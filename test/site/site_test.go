// Package site looks at the built site: every link of it leads somewhere, and in a real
// Chromium, on a wide screen and on a narrow one, light and dark, each page is sound.
// `make test-site` builds the site, gets what is needed and runs it.
package site

import (
	"bytes"
	"encoding/json"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// under is where the tests serve the site: not at the root of a host.
const under = "/some/where/"

var (
	reference = regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	named     = regexp.MustCompile(`\s(?:id|name)="([^"]+)"`)
	elsewhere = regexp.MustCompile(`(?:src|href)\s*=\s*"(?:https?:)?//[^"]+"[^>]*>|@import|url\(\s*['"]?(?:https?:)?//`)
	anchorTag = regexp.MustCompile(`<a\s[^>]*>`)
)

// built is the folder of the site.
func built(t *testing.T) string {
	t.Helper()
	return realserver.Lines(t, "INFEROMETER_SITE", 1, "make test-site")[0]
}

// pages are the HTML files of the site by their path, with slashes.
func pages(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		found[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 60 {
		t.Fatalf("only %d pages in %s", len(found), dir)
	}
	return found
}

// Every address inside the site is a file of it, and every anchor an element of that page.
func TestLinksOfTheBuiltSite(t *testing.T) {
	dir := built(t)
	all := pages(t, dir)
	ids := map[string]map[string]bool{}
	for name, text := range all {
		ids[name] = map[string]bool{}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			ids[name][html.UnescapeString(m[1])] = true
		}
	}
	looked := 0
	for name, text := range all {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil || u.Scheme != "" || u.Host != "" {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			looked++
			if strings.HasPrefix(u.Path, "/") {
				t.Errorf("%s: %s does not work below a folder", name, m[1])
				continue
			}
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if strings.HasSuffix(u.Path, "/") {
				to = path.Join(to, "index.html")
			}
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to))); err != nil || info.IsDir() {
				t.Errorf("%s: %s is not there", name, m[1])
				continue
			}
			if u.Fragment != "" && ids[to] != nil && !ids[to][u.Fragment] {
				t.Errorf("%s: %s has no %s", name, to, u.Fragment)
			}
		}
	}
	if looked < 1000 {
		t.Errorf("only %d links were looked at", looked)
	}
}

// The index of words is fetched with the first search, also on a phone.
func TestSearchIsSmall(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(built(t), "searchindex*.js"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Size() > 2<<20 {
		t.Errorf("%s: %v, %v", found[0], info.Size(), err)
	}
}

// Nothing of the site is fetched from elsewhere: links may lead away, files may not come from there.
func TestNothingFromElsewhere(t *testing.T) {
	dir := built(t)
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".html", ".css"}, filepath.Ext(file)) {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rest := anchorTag.ReplaceAllString(string(text), "")
		for _, m := range elsewhere.FindAllString(rest, -1) {
			t.Errorf("%s: %s", file, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// finding is one of axe's.
type finding struct {
	Page, ID, Impact, Help string
	Nodes                  []string
}

// seen is what site.mjs found.
type seen struct {
	Pages             int
	Console, Requests []string
	Axe               []finding
	Overflow          []string
	Found             []string
	Focus             []string
	Menu, Dark        string
	Coloured          []string
}

func TestInTheBrowser(t *testing.T) {
	dir := built(t)
	where := realserver.Lines(t, "INFEROMETER_BROWSER", 2, "make test-site")
	server := httptest.NewServer(http.StripPrefix(under, http.FileServer(http.Dir(dir))))
	defer server.Close()
	var names []string
	for name := range pages(t, dir) {
		if name != "toc.html" { // the menu for browsers without scripts
			names = append(names, name)
		}
	}
	slices.Sort(names)
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	shots := os.Getenv("INFEROMETER_SITE_SHOTS") // a folder for pictures to look at
	if shots == "" {
		shots = t.TempDir()
	}
	cmd := exec.Command("node", "site.mjs", where[0], where[1], server.URL+under, shots)
	cmd.Stdin = bytes.NewReader(list)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	var s seen
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(t, &s, len(names))
}

func check(t *testing.T, s *seen, want int) {
	t.Helper()
	if s.Pages != want {
		t.Errorf("%d of %d pages were opened", s.Pages, want)
	}
	for _, m := range s.Console {
		t.Errorf("console: %s", m)
	}
	for _, m := range s.Requests {
		t.Errorf("a request left the site: %s", m)
	}
	for _, m := range s.Overflow {
		t.Errorf("wider than the screen: %s", m)
	}
	for _, f := range s.Axe {
		if f.Impact == "serious" || f.Impact == "critical" {
			t.Errorf("%s: axe: %s (%s): %s\n%s", f.Page, f.ID, f.Impact, f.Help, strings.Join(f.Nodes, "\n"))
		}
	}
	if !slices.ContainsFunc(s.Found, func(l string) bool { return strings.Contains(l, "docs/metrics.html") }) {
		t.Errorf("a search for tpot finds %q", s.Found)
	}
	if len(s.Focus) < 5 || !slices.ContainsFunc(s.Focus, func(l string) bool { return strings.HasPrefix(l, "main ") }) {
		t.Errorf("the tab key gets to %q", s.Focus)
	}
	if !slices.Contains(s.Coloured, "inferometer") || !slices.Contains(s.Coloured, "--listen") {
		t.Errorf("of the first page's commands %q are coloured", s.Coloured)
	}
	if s.Menu != "opened" {
		t.Errorf("the menu of the narrow screen: %s", s.Menu)
	}
	if s.Dark == "rgb(255, 255, 255)" || s.Dark == "" {
		t.Errorf("dark is %q", s.Dark)
	}
}
