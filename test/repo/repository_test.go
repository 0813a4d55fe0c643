package repo

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a repository has beside its code: whom to tell of what, what is kept up to date, and by which commits others' code runs.

// An action that is called by a tag is whatever somebody moves the tag to. Each is called by its commit, with the
// tag beside it for those who read, and the same tag is the same commit everywhere.
func TestActionsArePinned(t *testing.T) {
	files := []string{"action.yml"}
	for _, pattern := range []string{".github/workflows/*.yml", "examples/ci/*.yml", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`)
	pinned := regexp.MustCompile(`^([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
	commits, seen := map[string]string{}, 0
	for _, file := range files {
		for _, m := range uses.FindAllStringSubmatch(readFile(t, file), -1) {
			seen++
			if m[1] == "inferometer/inferometer@COMMIT" {
				continue // the reader puts ours in
			}
			if strings.HasPrefix(m[1], "./.github/") {
				continue // of this very commit
			}
			p := pinned.FindStringSubmatch(m[1])
			if p == nil {
				t.Errorf("%s: uses: %s\nis not pinned: write OWNER/NAME@COMMIT # vTAG", file, m[1])
				continue
			}
			owner := strings.Join(strings.Split(p[1], "/")[:2], "/") + " " + p[3]
			if before := commits[owner]; before != "" && before != p[2] {
				t.Errorf("%s: %s is %s here and %s elsewhere", file, owner, p[2], before)
			}
			commits[owner] = p[2]
		}
	}
	if seen < 25 {
		t.Errorf("only %d uses were found: is the search broken?", seen)
	}
}

func TestRepositorySaysWhomToTell(t *testing.T) {
	for path, words := range map[string][]string{
		"SECURITY.md":                       {"Report a vulnerability", "Which versions are mended", "sandbox"},
		"CODE_OF_CONDUCT.md":                {"harassment", "maintainer"},
		".github/CODEOWNERS":                {"@inferometer/maintainers"},
		".github/pull_request_template.md":  {"CHANGELOG.md", "test"},
		".github/ISSUE_TEMPLATE/config.yml": {"security/advisories/new"},
	} {
		text := readFile(t, path)
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not have %q", path, w)
			}
		}
	}
	for line := range strings.Lines(readFile(t, ".github/CODEOWNERS")) {
		path, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, "#") || path == "*" {
			continue
		}
		if found, err := filepath.Glob(strings.TrimPrefix(path, "/")); err != nil || len(found) == 0 {
			t.Errorf("CODEOWNERS names %s, which is not there", path)
		}
	}
	forms, err := filepath.Glob(".github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(forms) < 3 {
		t.Fatalf("%d forms, %v", len(forms), err)
	}
	for _, form := range forms {
		if filepath.Base(form) == "config.yml" {
			continue
		}
		var f struct {
			Name, Description string
			Body              []struct {
				Type, ID   string
				Attributes struct{ Label string }
			}
		}
		parseYAML(t, form, &f)
		if f.Name == "" || f.Description == "" || len(f.Body) == 0 {
			t.Errorf("%s: a form has a name, a description and a body", form)
		}
		for _, b := range f.Body {
			if !slices.Contains([]string{"markdown", "textarea", "input", "dropdown", "checkboxes"}, b.Type) || b.Attributes.Label == "" {
				t.Errorf("%s: %+v is no field with a label", form, b)
			}
		}
	}
}

// What Dependabot can read, it is told of.
func TestDependenciesAreKeptUpToDate(t *testing.T) {
	var config struct {
		Version int
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directories []string `yaml:"directories"`
			Schedule    struct{ Interval string }
		}
	}
	parseYAML(t, ".github/dependabot.yml", &config)
	told := map[string]bool{}
	for _, u := range config.Updates {
		if u.Schedule.Interval == "" {
			t.Errorf("%s: how often?", u.Ecosystem)
		}
		for _, d := range u.Directories {
			told[u.Ecosystem+" "+d] = true
		}
	}
	if config.Version != 2 || !told["github-actions /"] {
		t.Errorf("version %d, %v", config.Version, told)
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "bin", "build", "dist", "testdata", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		ecosystem := map[string]string{"go.mod": "gomod", "Dockerfile": "docker", "package.json": "npm", "requirements.txt": "pip"}[d.Name()]
		folder := "/" + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), ".")
		if ecosystem != "" && !told[ecosystem+" "+folder] {
			t.Errorf(".github/dependabot.yml has no %s for %s", ecosystem, folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCitation(t *testing.T) {
	var c struct {
		Format  string `yaml:"cff-version"`
		Message string
		Title   string
		License string
		Version string
		Authors []map[string]string
	}
	parseYAML(t, "CITATION.cff", &c)
	if c.Format != "1.2.0" || c.Message == "" || c.Title == "" || len(c.Authors) == 0 || c.License != "Apache-2.0" {
		t.Errorf("%+v", c)
	}
	if newest := changelogVersions(t)[0]; c.Version != newest {
		t.Errorf("CITATION.cff is of %s, and the changelog's newest version is %s", c.Version, newest)
	}
}

// changelogVersions are the versions that the changelog has a section of, newest first.
func changelogVersions(t *testing.T) []string {
	t.Helper()
	var versions []string
	for _, m := range regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`).FindAllStringSubmatch(readFile(t, "CHANGELOG.md"), -1) {
		versions = append(versions, m[1])
	}
	if len(versions) == 0 {
		t.Fatal("CHANGELOG.md has no section of a version")
	}
	return versions
}

// The text of a release is the changelog's.
func TestReleaseNotes(t *testing.T) {
	notes := func(version string) (string, error) {
		out, err := exec.Command("bash", filepath.Join("scripts", "release-notes.sh"), version).CombinedOutput()
		return string(out), err
	}
	text := readFile(t, "CHANGELOG.md")
	if !strings.Contains(text, "\n## Unreleased\n") || strings.Index(text, "## Unreleased") > strings.Index(text, "## 0.1.0") {
		t.Error("what is not released stands above the versions")
	}
	got, err := notes("0.1.0")
	if err != nil || !strings.Contains(got, "inferometer bench serve") || strings.Contains(got, "\n## ") {
		t.Errorf("%v\n%.300s", err, got)
	}
	if candidate, err := notes("0.1.0-rc.1"); err != nil || candidate != got {
		t.Errorf("a candidate has the notes of what it is one for: %v\n%.300s", err, candidate)
	}
	if got, err := notes("9.9.9"); err == nil || !strings.Contains(got, "no section ## 9.9.9") {
		t.Errorf("a version that nobody wrote about: %v, %s", err, got)
	}
}

// A file of others in the repository has its licence there too, and one that lets us pass it on.
func TestLicencesOfTestdata(t *testing.T) {
	const hardware = "internal/send/hardware/testdata/SOURCES.md"
	named := map[string]bool{}
	for file, column := range map[string]int{"testdata/README.md": 3, hardware: 2} {
		rows := 0
		for line := range strings.Lines(readFile(t, file)) {
			cells := strings.Split(line, "|")
			if len(cells) < 5 || strings.HasPrefix(line, "|---") {
				continue
			}
			rows++
			if strings.Contains(line, "GPL") {
				t.Errorf("%s: files under such a licence don't go with ours: %s", file, line)
			}
			if file == hardware && strings.Contains(cells[3], "quoted") {
				continue // some lines of a public thread
			}
			for _, m := range regexp.MustCompile(`(?:^|[ (]|github\.com/)([\w-]+)/([\w.-]*\w)`).FindAllStringSubmatch(cells[column], -1) {
				name := m[1] + "+" + m[2] + ".LICENSE"
				named[name] = true
				if info, err := os.Stat(filepath.Join("testdata", "licenses", name)); err != nil || info.Size() < 500 {
					t.Errorf("%s names %s/%s, and testdata/licenses has no %s", file, m[1], m[2], name)
				}
			}
		}
		if rows < 10 {
			t.Errorf("%s has %d rows: is the search broken?", file, rows)
		}
	}
	for name := range named {
		if strings.HasPrefix(name, "github.com") {
			t.Errorf("%s is no repository: is the search broken?", name)
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d repositories are named: is the search broken?", len(named))
	}
}

// Each file that several packages' tests read stands in the table that says where it comes from.
func TestTestdataIsListed(t *testing.T) {
	var patterns []string
	for _, row := range regexp.MustCompile(`(?m)^\| (`+"`[^|]*`"+`) \|`).FindAllStringSubmatch(readFile(t, "testdata/README.md"), -1) {
		folder := ""
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if !strings.Contains(m[1], "/") {
				m[1] = folder + "/" + m[1]
			}
			folder = filepath.Dir(m[1])
			patterns = append(patterns, m[1])
		}
	}
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "testdata/")
		if err != nil || d.IsDir() || name == "README.md" {
			return err
		}
		if !slices.ContainsFunc(patterns, func(p string) bool {
			matches, _ := filepath.Match(p, name)
			return matches || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p)
		}) {
			t.Errorf("testdata/README.md does not say where %s comes from", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
