// Package comparison shows what judge/compare found: as a table of a terminal, Markdown, CSV, JSON, a page or JUnit.
package comparison

import (
	"io"

	"github.com/inferometer/inferometer/internal/judge/compare"
)

// Formats are the forms of a comparison; the first is what a terminal gets.
var Formats = []string{"table", "markdown", "csv", "json", "html", "junit"}

// Options say how a comparison is written.
type Options struct {
	Format  string              // one of Formats
	Bold    func(string) string // marks the best values on a screen; nil: they carry a star
	Version string              // of inferometer, for a page
}

func (o *Options) text() *text { return &text{markdown: o.Format == "markdown", bold: o.Bold} }

// Write writes the comparison, with what a gate found.
func Write(w io.Writer, c *compare.Comparison, findings []compare.Finding, opt Options) error {
	switch opt.Format {
	case "csv":
		return csvOf(w, nil, []*compare.Comparison{c})
	case "json":
		return JSON(w, struct {
			*compare.Comparison
			Gate []compare.Finding `json:"gate,omitempty"`
		}{c, findings})
	case "junit":
		return junit(w, findings)
	case "html":
		d, err := Document(c, findings)
		if err != nil {
			return err
		}
		d.Version = opt.Version
		return d.Write(w)
	}
	t := opt.text()
	t.comparison(c)
	t.findings(findings)
	return t.to(w)
}

// WriteLists writes one line per run, and no changes: as table, markdown, csv or json.
func WriteLists(w io.Writer, lists []compare.List, opt Options) error {
	switch opt.Format {
	case "csv":
		return listsCSV(w, lists)
	case "json":
		return listsJSON(w, lists)
	}
	t := opt.text()
	for i := range lists {
		if i > 0 {
			t.WriteString("\n")
		}
		t.list(&lists[i])
	}
	return t.to(w)
}

// WritePoints writes all pairs of points: as table, markdown, csv, json or junit.
func WritePoints(w io.Writer, p *compare.Points, opt Options) error {
	switch opt.Format {
	case "csv":
		var points []string
		var all []*compare.Comparison
		for i := range p.Pairs {
			points, all = append(points, p.Pairs[i].Point), append(all, p.Pairs[i].Comparison)
		}
		return csvOf(w, points, all)
	case "json":
		return pointsJSON(w, p)
	case "junit":
		return junit(w, p.Findings)
	}
	t := opt.text()
	t.points(p)
	return t.to(w)
}
