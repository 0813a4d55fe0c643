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
// as they are. A folder that is linked to becomes a page which shows its files.
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

// page copies a page and what it links to.
func (s *stage) page(name string) error {
	if s.done[name] {
		return nil
	}
	text, err := s.copy(name)
	if err != nil {
		return err
	}
	for _, l := range Links(string(text)) {
		if l.To == "" {
			continue
		}
		to := path.Join(path.Dir(name), l.To)
		if err := s.linked(to); err != nil {
			return fmt.Errorf("%s:%d: %w", name, l.Line, err)
		}
	}
	return nil
}

func (s *stage) linked(to string) error {
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return fmt.Errorf("%s lies outside of the repository", to)
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(to)))
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return s.folder(to)
	case path.Ext(to) != ".md":
		_, err := s.copy(to)
		return err
	case s.pages[to] || s.done[to]:
		return s.page(to)
	}
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(to)))
	if err != nil {
		return err
	}
	s.others = append(s.others, Page{Path: to, Title: Heading(string(text))})
	return s.page(to)
}

// folder writes a page with the files of a folder, or takes its own README.
func (s *stage) folder(name string) error {
	page := path.Join(name, "README.md")
	if s.done[page] {
		return nil
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(page))); err == nil {
		return s.linked(page)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s/\n\nThe files of this folder of the repository.\n", name)
	dir := filepath.Join(s.root, filepath.FromSlash(name))
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		short, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		short = filepath.ToSlash(short)
		text, err := s.copy(path.Join(name, short))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## [%s](%s)\n", short, short)
		if kind := shown[path.Ext(short)]; kind != "" && len(text) < 32<<10 {
			fmt.Fprintf(&b, "\n````%s\n%s\n````\n", kind, strings.TrimRight(string(text), "\n"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.others = append(s.others, Page{Path: page, Title: name + "/"})
	s.done[page] = true
	return s.write(page, []byte(b.String()))
}

// shown are the files whose text a folder's page holds, with the language of their colours.
var shown = map[string]string{".yaml": "yaml", ".yml": "yaml", ".sh": "sh", ".sbatch": "sh", ".py": "python"}

func (s *stage) copy(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
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
