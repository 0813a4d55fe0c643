//go:build unix

package bench

import (
	"os"
	"syscall"
)

// pipe is an open descriptor; nil: it is none, or no pipe.
func pipe(fd int, name string) *os.File {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil
	}
	syscall.CloseOnExec(fd)
	if syscall.SetNonblock(fd, true) != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), name)
}
