package table

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
)

// Markdown writes a table that can be pasted; facts are a list. Its title stands above.
func Markdown(b *strings.Builder, t *Table) {
	if t.Title != "" {
		b.WriteString(outside.Markdown(t.Title) + ":\n\n")
	}
	switch {
	case len(t.Columns) == 0:
		for _, row := range t.Rows {
			b.WriteString("- " + outside.Markdown(row[0].Text) + ": " + outside.Markdown(t.text(row, 1)) + "\n")
		}
	case len(t.Rows) > 0:
		t.grid(InMarkdown, t.Rows, outside.Markdown).Write(b, 0)
	}
	for i, note := range t.Notes {
		if i == 0 && len(t.Rows) > 0 && len(t.Columns) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + outside.Markdown(note) + "\n")
	}
}

// CSV writes columns and rows: numbers exactly, and nothing where one is not known.
func CSV(w io.Writer, t *Table) error {
	c := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i := range t.Columns {
		line[i] = outside.CSV(t.Columns[i].head())
	}
	if err := c.Write(line); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i := range line {
			switch c := &row[i]; {
			case c.Value != nil:
				line[i] = number.Exact(*c.Value)
			case c.Text == number.None:
				line[i] = ""
			default:
				line[i] = outside.CSV(c.Text)
			}
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
