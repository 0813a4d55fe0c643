package compare

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/outside"
)

// Formats are the forms of a comparison; the first is what a terminal gets.
var Formats = []string{"table", "markdown", "csv", "json", "html", "junit"}

// Write writes the comparison in one of the Formats, with what a gate found. bold
// marks the best values of a table; nil marks none.
func (c *Comparison) Write(w io.Writer, format string, findings []Finding, bold func(string) string) error {
	switch format {
	case "csv":
		return c.CSV(w)
	case "json":
		return c.JSON(w, findings)
	case "junit":
		return JUnit(w, findings)
	case "html":
		return c.HTML(w, findings)
	case "markdown":
		if err := c.Markdown(w); err != nil {
			return err
		}
	default:
		if err := c.Table(w, bold); err != nil {
			return err
		}
	}
	for i, f := range findings {
		if i == 0 {
			fmt.Fprintln(w)
		}
		line := fmt.Sprintf("gate %s, %s: %s: %s", f.Limit, f.Side, f.Outcome, f.Sentence)
		if format == "markdown" {
			line = "- " + outside.Markdown(line)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// WriteLists writes one line per run, and no changes: as table, markdown, csv or json.
func WriteLists(w io.Writer, format string, lists []List, bold func(string) string) error {
	switch format {
	case "csv":
		return ListsCSV(w, lists)
	case "json":
		return ListsJSON(w, lists)
	}
	for i := range lists {
		if i > 0 {
			fmt.Fprintln(w)
		}
		write := lists[i].Markdown
		if format == "table" {
			write = func(w io.Writer) error { return lists[i].Table(w, bold) }
		}
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}
