package errno

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// foreign are the numbers that Windows has for an error.
var foreign = map[syscall.Errno][]syscall.Errno{
	syscall.ECONNREFUSED: {windows.WSAECONNREFUSED},
	syscall.ECONNRESET:   {windows.WSAECONNRESET},
	syscall.ECONNABORTED: {windows.WSAECONNABORTED},
	syscall.EPIPE:        {windows.WSAESHUTDOWN, windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA},
	syscall.ETIMEDOUT:    {windows.WSAETIMEDOUT},
	syscall.EADDRINUSE:   {windows.WSAEADDRINUSE},
	syscall.ENOSPC:       {windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL},
	syscall.EDQUOT:       {windows.ERROR_DISK_QUOTA_EXCEEDED},
	syscall.EROFS:        {windows.ERROR_WRITE_PROTECT},
}
