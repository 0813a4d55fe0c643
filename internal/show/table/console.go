package table

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
)

// Console is a terminal, or a pipe.
type Console struct {
	Width int                 // columns; 0: a pipe, where long lines stay whole
	Bold  func(string) string // nil: nothing is bold
	Paint func(class, text string) string
}

// Write writes a table without its title.
func (c *Console) Write(b *strings.Builder, t *Table) {
	rows, more := t.Rows, 0
	if t.Brief > 0 && len(rows) > t.Brief {
		rows, more = rows[:t.Brief], len(rows)-t.Brief
	}
	switch {
	case len(t.Columns) == 0:
		for _, row := range rows {
			c.Fact(b, t.text(row, 0), c.paint(&row[1], t.text(row, 1)))
		}
	case len(rows) > 0:
		g := t.grid(OnConsole, rows, plain)
		g.Bare, g.Bold = true, c.Bold
		if c.Bold == nil {
			g.Bold = func(s string) string { return s }
		}
		g.Write(b, c.Width)
	}
	if more > 0 {
		fmt.Fprintf(b, "… and %d more, in the JSON\n", more)
	}
	for _, note := range t.Notes {
		c.Note(b, plain(note))
	}
}

// factWidth is the column of labels, as vLLM's block has it, and shortFact what fits beside it.
const factWidth, shortFact = 40, 10

// Fact writes a label and what it says: beside the column of labels, or at once where that is long.
func (c *Console) Fact(b *strings.Builder, label, text string) {
	if label != "" {
		label += ":"
	}
	if len(text) <= shortFact {
		fmt.Fprintf(b, "%-*s %s\n", factWidth, label, text)
		return
	}
	c.Words(b, label+" ", text)
}

func (c *Console) paint(cell *Cell, text string) string {
	if c.Paint == nil || cell.Class == "" {
		return text
	}
	return c.Paint(cell.Class, text)
}

// Words writes words that may be long: on one line in a pipe, where scripts read them, and
// broken at spaces on a terminal.
func (c *Console) Words(b *strings.Builder, lead, words string) {
	if c.Width <= 0 || utf8.RuneCountInString(lead+words) <= c.Width {
		b.WriteString(lead + words + "\n")
		return
	}
	broken(b, lead, gap, words, c.Width)
}

// noteWidth is where sentences are broken: they are pasted into pull requests and read in narrow windows.
const noteWidth = 76

// Note writes a sentence below what it is about: indented, and deeper if it begins with spaces.
func (c *Console) Note(b *strings.Builder, words string) {
	lead := strings.Repeat(" ", len(words)-len(strings.TrimLeft(words, " "))) + gap
	limit := noteWidth
	if c.Width > 0 {
		limit = min(limit, c.Width)
	}
	broken(b, lead, lead+gap, words, limit)
}

// broken writes words in lines of at most so many columns; a longer word stays whole.
func broken(b *strings.Builder, first, next, words string, limit int) {
	line, empty := first, true
	for _, word := range strings.Fields(words) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > limit {
			b.WriteString(line + "\n")
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	b.WriteString(line + "\n")
}

// clean leaves out what steers a terminal.
func clean(s string) string { return outside.Line(s, math.MaxInt) }

// signs of a bound are written in ASCII on a console, whose reader may be a log or a script.
var signs = strings.NewReplacer("≈", "~", "≤", "<=")

// plain is a text for a console.
func plain(s string) string {
	if s == number.None {
		return number.TooFew
	}
	return signs.Replace(clean(s))
}
