// Package site puts the documents together for the static site: which pages there
// are and in which order, what they link to, and the source folder that mdBook reads.
// `make site` builds it, and nothing of it is in the program.
package site

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Navigation is the site's menu.
type Navigation struct {
	Home     string    `yaml:"home"`
	Sections []Section `yaml:"sections"`
}

// Section is one heading of the menu.
type Section struct {
	Title string `yaml:"title"`
	Pages []Page `yaml:"pages"`
}

// Page is one line of the menu. Paths are those of the repository, with slashes.
type Page struct {
	Path  string `yaml:"page"`
	Title string `yaml:"title"`
	Text  string `yaml:"text"`  // one line in docs/README.md
	Below string `yaml:"below"` // a folder whose other pages are listed under this one
	More  []Page `yaml:"-"`     // those of Below
}

// ReadNavigation reads site/navigation.yaml of a repository, whose pages must all be there.
func ReadNavigation(root string) (Navigation, error) {
	var nav Navigation
	file, err := os.Open(filepath.Join(root, "site", "navigation.yaml"))
	if err != nil {
		return nav, err
	}
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&nav); err != nil {
		return nav, fmt.Errorf("site/navigation.yaml: %w", err)
	}
	for i := range nav.Sections {
		s := &nav.Sections[i]
		for j := range s.Pages {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(s.Pages[j].Path))); err != nil {
				return nav, fmt.Errorf("site/navigation.yaml: %w", err)
			}
			if err := s.Pages[j].readBelow(root); err != nil {
				return nav, err
			}
		}
	}
	return nav, nil
}

// readBelow lists the other pages of a folder by their headings.
func (p *Page) readBelow(root string) error {
	if p.Below == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p.Below), "*.md"))
	if err != nil {
		return err
	}
	for _, name := range found {
		where := path.Join(p.Below, filepath.Base(name))
		if where == p.Path {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.More = append(p.More, Page{Path: where, Title: Heading(string(text))})
	}
	return nil
}

// Pages are all pages of the menu, the home page first and the index of documents second.
func (n Navigation) Pages() []Page {
	all := []Page{{Path: n.Home, Title: "Inferometer"}, {Path: Index, Title: "All documents"}}
	for _, s := range n.Sections {
		for _, p := range s.Pages {
			all = append(append(all, p), p.More...)
		}
	}
	return all
}

// Index is the page that lists all others. It is written from the navigation.
const Index = "docs/README.md"

// WriteIndex gives the text of docs/README.md.
func (n Navigation) WriteIndex() string {
	var b strings.Builder
	b.WriteString("<!-- written by go test ./site -update, from site/navigation.yaml -->\n# Documents\n\n")
	b.WriteString("Sorted by task. `make site` builds a site from these pages, with search, in `dist/site`; a workflow will publish it once the repository is public.\n")
	for _, s := range n.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
		for _, p := range s.Pages {
			to, err := filepath.Rel("docs", filepath.FromSlash(p.Path))
			if err != nil { // both are relative, so there always is a way
				panic(err)
			}
			fmt.Fprintf(&b, "- [%s](%s): %s\n", p.Title, filepath.ToSlash(to), p.Text)
		}
	}
	return b.String()
}

// summary is the menu in mdBook's form.
func (n Navigation) summary(others []Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Summary\n\n[Inferometer](%s)\n[All documents](%s)\n", staged(n.Home), staged(Index))
	line := func(indent string, p Page) { fmt.Fprintf(&b, "%s- [%s](%s)\n", indent, p.Title, staged(p.Path)) }
	for _, s := range n.Sections {
		fmt.Fprintf(&b, "\n# %s\n\n", s.Title)
		for _, p := range s.Pages {
			line("", p)
			for _, m := range p.More {
				line("  ", m)
			}
		}
	}
	if len(others) > 0 {
		b.WriteString("\n# Beside the documents\n\n")
		for _, p := range others {
			line("", p)
		}
	}
	return b.String()
}
