package atomicfile

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// descriptor: no path of Windows names an open file.
func descriptor(string) int { return -1 }

func writeDescriptor(int, string, func(io.Writer) error) error { return errors.ErrUnsupported }

// Windows does not replace a file that somebody has open, such as a scanner for viruses or a
// reader of the old one. Both are soon done.
const (
	replacePatience = 2 * time.Second
	replaceEvery    = 10 * time.Millisecond
)

func replace(from, to string) error {
	for end := time.Now().Add(replacePatience); ; time.Sleep(replaceEvery) {
		err := os.Rename(from, to)
		held := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !held || time.Now().After(end) {
			return err
		}
	}
}
