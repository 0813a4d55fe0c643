package main

import (
	"slices"
	"time"
	"unicode"

	"github.com/hinshun/vt10x"
)

// Session is what a terminal showed.
type Session struct {
	Title         string
	Columns, Rows int
	Speed         int // how many times faster than it was
	Frames        []Frame
	Length        time.Duration // of all frames together
}

// Frame is the screen from one moment until the next frame.
type Frame struct {
	At   time.Duration
	Rows [][]Span // of every line what is not blank
}

// Span is a piece of a line in one look.
type Span struct {
	Column int
	Text   string
	Look   Look
}

// Look is how a cell is drawn.
type Look struct {
	Ink, Ground vt10x.Color
	Bold        bool
}

const (
	before = 1500 * time.Millisecond // how long the typed command stands there alone
	after  = 8 * time.Second         // how long the last screen can be read
	step   = 400 * time.Millisecond  // the shortest frame: fewer frames make a smaller picture
)

// play shows what a command wrote on a terminal, below the line that called it.
func (s *Session) play(typed string, outputs []output) {
	screen := vt10x.New(vt10x.WithSize(s.Columns, s.Rows))
	write := func(b []byte) { _, _ = screen.Write(b) } // it takes anything
	write([]byte("\x1b[32m$\x1b[m " + typed + "\r\n"))
	s.Frames = []Frame{{Rows: rows(screen, s.Columns, s.Rows)}}
	frame := func(o output) time.Duration { return before + (o.at / time.Duration(s.Speed)).Truncate(step) }
	for i, o := range outputs {
		write(o.bytes)
		at := frame(o)
		if i+1 < len(outputs) && frame(outputs[i+1]) == at {
			continue // the next one comes within the same frame
		}
		now := rows(screen, s.Columns, s.Rows)
		if !equal(now, s.Frames[len(s.Frames)-1].Rows) {
			s.Frames = append(s.Frames, Frame{At: at, Rows: now})
		}
	}
	s.Length = s.Frames[len(s.Frames)-1].At + after
}

func equal(a, b [][]Span) bool {
	return slices.EqualFunc(a, b, slices.Equal[[]Span])
}

// rows reads the screen.
func rows(screen vt10x.Terminal, columns, count int) [][]Span {
	screen.Lock()
	defer screen.Unlock()
	lines := make([][]Span, count)
	for y := range lines {
		var cells []vt10x.Glyph
		for x := range columns {
			cells = append(cells, screen.Cell(x, y))
		}
		lines[y] = spans(cells)
	}
	return lines
}

// bold is the bit of vt10x's Glyph.Mode, which it does not export.
const bold = 1 << 2

// spans are the pieces of a line. One ends where the look changes, and at two blanks: what is far apart
// keeps its column whatever font draws it.
func spans(cells []vt10x.Glyph) (line []Span) {
	var last *Span
	blanks := 0
	for x, c := range cells {
		look := Look{Ink: c.FG, Ground: c.BG, Bold: c.Mode&bold != 0}
		char := c.Char
		switch {
		case char == 0:
			char = ' '
		case !unicode.IsPrint(char): // it would turn the text around, or be no XML
			char = unicode.ReplacementChar
		}
		if char == ' ' && look.Ground == vt10x.DefaultBG {
			blanks++
			continue
		}
		if last != nil && last.Look == look && blanks < 2 {
			if blanks == 1 {
				last.Text += " "
			}
			last.Text += string(char)
		} else {
			line = append(line, Span{Column: x, Text: string(char), Look: look})
			last = &line[len(line)-1]
		}
		blanks = 0
	}
	return line
}
