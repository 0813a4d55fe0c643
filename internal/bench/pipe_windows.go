package bench

import (
	"os"

	"golang.org/x/sys/windows"
)

// pipe is an open handle; nil: it is none, or no pipe.
func pipe(handle int, name string) *os.File {
	h := windows.Handle(handle)
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_PIPE {
		return nil
	}
	if windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, 0) != nil {
		return nil
	}
	return os.NewFile(uintptr(h), name)
}
