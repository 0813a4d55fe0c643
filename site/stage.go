package site

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Stage fills a folder with what mdBook reads: the pages and all files that they
// link to, at the places that they have in the repository, so that their links stay
// as they are. Only README.md is index.md there, as mdBook wants it, and a folder
// that is linked to becomes a page which shows its files.
func Stage(root, out string) error {
	nav, err := ReadNavigation(root)
	if err != nil {
		return err
	}
	s := &stage{root: root, out: out, done: map[string]bool{}, pages: map[string]bool{}}
	for _, p := range nav.Pages() {
		s.pages[p.Path] = true
	}
	for _, p := range nav.Pages() {
		if err := s.page(p.Path); err != nil {
			return err
		}
	}
	slices.SortFunc(s.others, func(a, b Page) int { return strings.Compare(a.Path, b.Path) })
	return s.write("SUMMARY.md", []byte(nav.summary(s.others)))
}

type stage struct {
	root, out string
	done      map[string]bool // files that are there
	pages     map[string]bool // of the navigation
	others    []Page          // linked to, and in no section
}

// staged is the name that a page has in the folder that mdBook reads.
func staged(name string) string {
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.md")
	}
	return name
}

// page writes a page and what it links to.
func (s *stage) page(name string) error {
	if s.done[name] {
		return nil
	}
	s.done[name] = true
	original, err := s.read(name)
	if err != nil {
		return err
	}
	text := string(original)
	for _, l := range Links(text) {
		if l.To == "" {
			continue
		}
		folder, err := s.linked(path.Join(path.Dir(name), l.To))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, l.Line, err)
		}
		to := l.To
		if folder {
			to = path.Join(to, "README.md")
		}
		if to = staged(to); to != l.To {
			text = strings.NewReplacer("]("+l.To+")", "]("+to+")", "]("+l.To+"#", "]("+to+"#").Replace(text)
		}
	}
	return s.write(staged(name), []byte(text))
}

// linked brings what a page links to, and says whether that is a folder.
func (s *stage) linked(to string) (folder bool, err error) {
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return false, fmt.Errorf("%s lies outside of the repository", to)
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(to)))
	switch {
	case err != nil:
		return false, err
	case info.IsDir():
		return true, s.folder(to)
	case path.Ext(to) != ".md":
		_, err := s.copyFile(to)
		return false, err
	case s.pages[to] || s.done[to]:
		return false, s.page(to)
	}
	text, err := s.read(to)
	if err != nil {
		return false, err
	}
	s.others = append(s.others, Page{Path: to, Title: Heading(string(text))})
	return false, s.page(to)
}

// folder writes a page with the files of a folder, or takes its own README.
func (s *stage) folder(name string) error {
	page := path.Join(name, "README.md")
	if s.done[page] {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(page))); err == nil {
		_, err := s.linked(page)
		return err
	}
	s.done[page] = true
	var b strings.Builder
	fmt.Fprintf(&b, "# %s/\n\nThe files of this folder of the repository.\n", name)
	dir := filepath.Join(s.root, filepath.FromSlash(name))
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		short, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		short = filepath.ToSlash(short)
		if path.Ext(short) == ".md" { // a page of its own
			fmt.Fprintf(&b, "\n## %s\n\n[The page %s](%s)\n", short, short, staged(short))
			_, err := s.linked(path.Join(name, short))
			return err
		}
		text, err := s.copyFile(path.Join(name, short))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n[The file %s](%s)\n", short, short, short)
		if kind := shown[path.Ext(short)]; kind != "" && len(text) < 32<<10 {
			fmt.Fprintf(&b, "\n````%s\n%s\n````\n", kind, strings.TrimRight(string(text), "\n"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.others = append(s.others, Page{Path: page, Title: name + "/"})
	return s.write(staged(page), []byte(b.String()))
}

// shown are the files whose text a folder's page holds, with the language of their colours.
var shown = map[string]string{".yaml": "yaml", ".yml": "yaml", ".sh": "sh", ".sbatch": "sh", ".py": "python"}

func (s *stage) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
}

// copyFile brings a file that is no page as it is.
func (s *stage) copyFile(name string) ([]byte, error) {
	text, err := s.read(name)
	if err != nil || s.done[name] {
		return text, err
	}
	s.done[name] = true
	return text, s.write(name, text)
}

func (s *stage) write(name string, text []byte) error {
	to := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
