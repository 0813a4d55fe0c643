package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal says whether w is a person's screen.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is the width to write for: the screen's, or 80 in a pipe.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 40 {
			return min(width, 120)
		}
	}
	return 80
}

// consoleWidth is where lines of a result are broken: at the screen's edge, and never in a pipe.
func consoleWidth(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	return terminalWidth(w)
}

// colored says whether to colour: on a screen, unless its user wants none (no-color.org).
func colored(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
