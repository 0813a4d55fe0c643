package command

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w is a person's screen, which understands escape sequences.
func IsTerminal(w io.Writer) bool {
	f := File(w)
	return f != nil && term.IsTerminal(int(f.Fd())) && escapes(f)
}

// TerminalWidth is the width to write for: the screen's, or 80 in a pipe.
func TerminalWidth(w io.Writer) int {
	if f := File(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 40 {
			return min(width, 120)
		}
	}
	return 80
}

// ResultWidth is where the lines of a result are broken: at the screen's edge, and
// never in a pipe (0).
func ResultWidth(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	return TerminalWidth(w)
}

// Colored reports whether to use colour: on a screen, unless its user wants none (no-color.org).
func Colored(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == ""
}

// Bold makes words bold on a person's screen; nil elsewhere.
func Bold(w io.Writer) func(string) string {
	if !Colored(w) {
		return nil
	}
	return func(text string) string { return "\x1b[1m" + text + "\x1b[0m" }
}
