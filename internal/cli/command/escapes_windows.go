package command

import (
	"os"

	"golang.org/x/sys/windows"
)

// escapes has a console understand escape sequences, and reports whether it does.
func escapes(f *os.File) bool {
	h, mode := windows.Handle(f.Fd()), uint32(0)
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 || windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
