package command

import (
	"fmt"
	"io"
)

// eraseLine returns to the first column and erases the line.
const eraseLine = "\r\x1b[K"

// Line is the last line of a terminal, which each text overwrites. In a pipe it
// writes nothing.
type Line struct {
	w     io.Writer
	live  bool
	stays bool // only lines that stay are written
	drawn bool
}

// NewLine is a line of w, live where w is a terminal.
func NewLine(w io.Writer) *Line { return &Line{w: w, live: IsTerminal(w)} }

// NewPlain is a line that is not shown, even on a terminal.
func NewPlain(w io.Writer) *Line { return &Line{w: w} }

// NewStaying is a line beside a view that shows what goes on by itself: only what stays is
// written.
func NewStaying(w io.Writer) *Line { return &Line{w: w, live: true, stays: true} }

// Live reports whether the line is shown.
func (l *Line) Live() bool { return l.live }

// Set shows a text in place of the one before.
func (l *Line) Set(format string, args ...any) {
	if l.live && !l.stays {
		fmt.Fprint(l.w, eraseLine, Fit(fmt.Sprintf(format, args...), TerminalWidth(l.w)-1))
		l.drawn = true
	}
}

// Clear erases the text.
func (l *Line) Clear() {
	if l.drawn {
		fmt.Fprint(l.w, eraseLine)
		l.drawn = false
	}
}

// Print writes a line that stays, where the text was.
func (l *Line) Print(format string, args ...any) {
	l.Clear()
	fmt.Fprintf(l.w, format+"\n", args...)
}

// Fit cuts a text to the terminal's width, so that it stays one line.
func Fit(text string, width int) string {
	r := []rune(text)
	return string(r[:min(len(r), max(width, 0))])
}
