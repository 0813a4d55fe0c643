// Package table is what a section says, in no medium yet: columns with their unit and their
// precision, rows, notes. Each medium has one renderer, and that one alone knows what its
// medium takes for a sign: HTML escapes, Markdown too, and a console is rid of what steers it.
//
//	Table ─▶ Console (a terminal or a pipe) · Markdown · HTML · CSV
//
// Grid is for those who have text already, and Line and Wrap are for words within a width.
package table

import (
	"math"

	"github.com/inferometer/inferometer/internal/show/number"
)

// Table is a grid, or facts where it has no columns: rows of a label and what it says.
type Table struct {
	ID      string // of its place in a page
	Title   string
	Columns []Column
	Rows    [][]Cell
	Notes   []string // sentences below it
	Keys    int      // the first columns, which stand in each part of a table that is parted
	Brief   int      // rows that a console has room for; 0: all
	Except  Medium   // where it is not shown
}

// Column is what the cells below it have in common.
type Column struct {
	Name   string
	Unit   string               // shown behind the name; empty: none, or all columns have the title's
	Format func(float64) string // of numbers, which stand at the right; nil: words
	Except Medium               // where it is not shown
}

// Cell is words, or a number that its column's Format writes.
type Cell struct {
	Text  string   // of a number: only where it is not to be written by the column's Format
	Value *float64 // nil: no number
	Class string   // Good, Doubt, Bad, Long, Best
	Link  string   // where a click leads; empty: nowhere
}

// Medium is one or several of those that a table is shown in.
type Medium int

// The media. Files are those that can be pasted or read by programs.
const (
	OnConsole Medium = 1 << iota
	InMarkdown
	OnPage
	Files = InMarkdown | OnPage
)

// Classes of cells: how what they say is to be taken, and of words that may be long.
const (
	Good  = "good"
	Doubt = "doubt"
	Bad   = "bad"
	Long  = "long"
	Best  = "best"
)

// Word is a cell of words; Sentence of words that may be long.
func Word(text string) Cell     { return Cell{Text: text} }
func Sentence(text string) Cell { return Cell{Text: text, Class: Long} }

// Value is a cell of a number. NaN is one that is not known.
func Value[N int | int64 | float64](n N) Cell {
	v := float64(n)
	if math.IsNaN(v) {
		return Cell{Text: number.None}
	}
	return Cell{Value: &v}
}

// Maybe is a number that may not be known.
func Maybe(v *float64) Cell {
	if v == nil {
		return Cell{Text: number.None}
	}
	return Value(*v)
}

// Row is the cells of a row, of which text becomes words and numbers become values.
func Row(cells ...any) []Cell {
	row := make([]Cell, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case Cell:
			row[i] = c
		case string:
			row[i] = Word(c)
		case int:
			row[i] = Value(c)
		case int64:
			row[i] = Value(c)
		case float64:
			row[i] = Value(c)
		case *float64:
			row[i] = Maybe(c)
		default:
			panic("table: a cell is a Cell, text or a number")
		}
	}
	return row
}

// Add adds a row.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, Row(cells...)) }

// Fact adds a label and what it says, unless that is empty.
func (t *Table) Fact(label, text string) {
	if text != "" {
		t.Rows = append(t.Rows, []Cell{Word(label), Sentence(text)})
	}
}

// Words are columns of words, Numbers columns that one format writes.
func Words(names ...string) []Column { return columnsOf(nil, names) }

// Numbers are columns of numbers.
func Numbers(format func(float64) string, names ...string) []Column { return columnsOf(format, names) }

func columnsOf(format func(float64) string, names []string) []Column {
	list := make([]Column, len(names))
	for i, name := range names {
		list[i] = Column{Name: name, Format: format}
	}
	return list
}

// Hide leaves columns out of a medium.
func Hide(m Medium, columns ...Column) []Column {
	for i := range columns {
		columns[i].Except |= m
	}
	return columns
}

// IsEmpty says that there is nothing to show.
func (t *Table) IsEmpty() bool { return t == nil || len(t.Rows) == 0 && len(t.Notes) == 0 }

// text is what a cell says, without what steers a terminal or hides in a text.
func (t *Table) text(row []Cell, i int) string {
	c := &row[i]
	switch {
	case c.Text != "" || c.Value == nil:
		return clean(c.Text)
	case i < len(t.Columns) && t.Columns[i].Format != nil:
		return t.Columns[i].Format(*c.Value)
	}
	return number.Short(*c.Value)
}

// head is the name of a column with its unit.
func (c *Column) head() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + ", " + c.Unit
}

// shown are the places of the columns of a medium.
func (t *Table) shown(m Medium) (list []int) {
	for i := range t.Columns {
		if t.Columns[i].Except&m == 0 {
			list = append(list, i)
		}
	}
	return list
}

// grid is the table as text, each cell as clean makes it.
func (t *Table) grid(m Medium, rows [][]Cell, clean func(string) string) *Grid {
	shown := t.shown(m)
	g := &Grid{Keys: max(t.Keys, 1)}
	for _, i := range shown {
		g.Head = append(g.Head, clean(t.Columns[i].head()))
		g.Right = append(g.Right, t.Columns[i].Format != nil)
	}
	for _, row := range rows {
		line := make([]string, len(shown))
		for n, i := range shown {
			if line[n] = clean(t.text(row, i)); row[i].Class == Best {
				line[n] = Strong(line[n])
			}
		}
		g.Body = append(g.Body, line)
	}
	return g
}
