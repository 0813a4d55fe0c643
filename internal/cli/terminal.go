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
