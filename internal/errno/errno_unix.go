//go:build unix

package errno

import "syscall"

// foreign is empty: the numbers are the system's own.
var foreign map[syscall.Errno][]syscall.Errno
