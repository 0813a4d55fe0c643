// Package mdtable writes tables that can be read as they are and pasted as Markdown,
// and lines of words, both within the width of a screen. It escapes nothing: cells
// with words from outside come through outside.Markdown.
package mdtable

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Table is a head and lines of as many cells.
type Table struct {
	Head []string
	Body [][]string
	Keys int // the first columns, which say what a line is about
	// Bold makes a cell bold on a screen; nil: cells in bold keep Markdown's stars.
	Bold func(string) string
}

// stars are Markdown's, around a cell in bold.
const stars = "**"

// Strong is a cell in bold.
func Strong(cell string) string { return stars + cell + stars }

// plain is a cell without its stars, if it has some and the screen shows bold words.
func (t *Table) plain(cell string) (text string, strong bool) {
	if t.Bold == nil || len(cell) <= 2*len(stars) || !strings.HasPrefix(cell, stars) || !strings.HasSuffix(cell, stars) {
		return cell, false
	}
	return cell[len(stars) : len(cell)-len(stars)], true
}

// least is the width that a cell is never cut below.
const least = 8

// Write pads the cells, so that the text can be read as it is too. A table that is
// wider than width becomes several, each with the key columns; what is too wide even
// alone is cut. A width of 0 is a file's: nothing is parted or cut.
func (t *Table) Write(b *strings.Builder, width int) {
	widths := t.widths()
	if width <= 0 || total(widths) <= width {
		t.part(b, widths, columns(0, len(t.Head)))
		return
	}
	keys := columns(0, t.Keys)
	for total(pick(widths, keys)) > width*2/3 { // room for the columns that they are keys of
		widest := 0
		for _, i := range keys {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if len(keys) == 0 || widths[widest] <= least {
			break
		}
		widths[widest]--
	}
	room := width - total(pick(widths, keys))
	for from := t.Keys; from < len(t.Head); {
		to, used := from, 0
		for to < len(t.Head) && used+widths[to]+3 <= room {
			used += widths[to] + 3
			to++
		}
		if to == from { // alone too wide
			widths[from] = max(room-3, least)
			to++
		}
		if from > t.Keys {
			b.WriteString("\n")
		}
		t.part(b, widths, append(columns(0, t.Keys), columns(from, to)...))
		from = to
	}
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Head))
	for _, line := range append([][]string{t.Head}, t.Body...) {
		for i, cell := range line {
			text, _ := t.plain(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}

// part writes some of the columns.
func (t *Table) part(b *strings.Builder, widths, chosen []int) {
	write := func(line []string) {
		for _, i := range chosen {
			cell, strong := t.plain(line[i])
			cell = cut(cell, widths[i])
			room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if strong {
				cell = t.Bold(cell)
			}
			fmt.Fprintf(b, "| %s%s ", cell, room)
		}
		b.WriteString("|\n")
	}
	write(t.Head)
	for _, i := range chosen {
		fmt.Fprintf(b, "|%s", strings.Repeat("-", widths[i]+2))
	}
	b.WriteString("|\n")
	for _, line := range t.Body {
		write(line)
	}
}

func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// total is the width of a line with these columns.
func total(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3
	}
	return sum
}

func columns(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

func pick(values, chosen []int) (list []int) {
	for _, i := range chosen {
		list = append(list, values[i])
	}
	return list
}

// Line writes words after a lead, broken at spaces; the next lines are indented as
// wide as the lead. A width of 0 breaks nothing, and a longer word stays whole.
func Line(b *strings.Builder, lead, words string, width int) {
	if width <= 0 {
		b.WriteString(lead + words + "\n")
		return
	}
	n := utf8.RuneCountInString(lead)
	b.WriteString(lead + Wrap(words, width-n, strings.Repeat(" ", n)) + "\n")
}

// Wrap breaks a text into lines of at most so many columns; the second and later ones
// begin with the indent, which is not counted. A longer word stays whole.
func Wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Screen is a text of Write, as a file holds it, with its bold cells bold.
func Screen(text string, bold func(string) string) string {
	if bold == nil {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			line = strongCell.ReplaceAllStringFunc(line, func(cell string) string {
				return "| " + bold(cell[len("| "+stars):len(cell)-len(stars)]) + strings.Repeat(" ", 2*len(stars))
			})
		}
		b.WriteString(line)
	}
	return b.String()
}

var strongCell = regexp.MustCompile(`\| \*\*[^*|]+\*\*`)
