package table

import (
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Within writes a table as Markdown that keeps to the width of a screen, and nothing but its grid; 0: a file's, which has
// it whole. bold makes the best values bold there; nil: they keep Markdown's stars.
func Within(b *strings.Builder, t *Table, width int, bold func(string) string) {
	g := t.grid(InMarkdown, t.Rows, outside.Markdown)
	g.Bold = bold
	g.Write(b, width)
}
