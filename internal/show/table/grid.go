package table

import (
	"strings"
	"unicode/utf8"
)

// Grid is a head and lines of as many cells, which are text already: it can be read as it
// is, pasted as Markdown, and kept within the width of a screen. It escapes nothing.
type Grid struct {
	Head  []string
	Body  [][]string
	Keys  int    // the first columns, which say what a line is about
	Right []bool // columns whose cells stand at the right; nil: none
	Bare  bool   // no Markdown: spaces between the columns, and no rule below the head
	// Bold makes a cell bold on a screen; nil: cells in bold keep Markdown's stars.
	Bold func(string) string
}

// stars are Markdown's, around a cell in bold.
const stars = "**"

// Strong is a cell in bold.
func Strong(cell string) string { return stars + cell + stars }

// plain is a cell without its stars, if it has some and the screen shows bold words.
func (t *Grid) plain(cell string) (text string, strong bool) {
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
func (t *Grid) Write(b *strings.Builder, width int) {
	widths := t.widths()
	if width <= 0 || t.total(widths) <= width {
		t.part(b, widths, columns(0, len(t.Head)))
		return
	}
	keys := columns(0, t.Keys)
	for t.total(pick(widths, keys)) > width*2/3 { // room for the columns that they are keys of
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
	room := width - t.total(pick(widths, keys))
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

func (t *Grid) widths() []int {
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
func (t *Grid) part(b *strings.Builder, widths, chosen []int) {
	right := func(i int) bool { return i < len(t.Right) && t.Right[i] }
	write := func(cells []string) {
		var line strings.Builder
		for n, i := range chosen {
			cell, strong := t.plain(cells[i])
			cell = cut(cell, widths[i])
			room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if strong {
				cell = t.Bold(cell)
			}
			if right(i) {
				cell, room = room, cell
			}
			switch {
			case !t.Bare:
				line.WriteString("| " + cell + room + " ")
			case n > 0:
				line.WriteString(gap + cell + room)
			default:
				line.WriteString(cell + room)
			}
		}
		if !t.Bare {
			line.WriteByte('|')
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	write(t.Head)
	if !t.Bare {
		for _, i := range chosen {
			rule := strings.Repeat("-", widths[i]+2)
			if right(i) {
				rule = rule[1:] + ":"
			}
			b.WriteString("|" + rule)
		}
		b.WriteString("|\n")
	}
	for _, line := range t.Body {
		write(line)
	}
}

// gap is what lies between the columns of a bare grid.
const gap = "  "

func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// total is the width of a line with these columns.
func (t *Grid) total(widths []int) int {
	sum := 1 // of the last |
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
