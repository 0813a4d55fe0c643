//go:build unix

package client

import (
	"bytes"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// processTimes is what this process has used: time in nanoseconds, and the most memory at a time in bytes.
func processTimes() (user, system, maxRSS int64) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, 0, 0
	}
	user, system, maxRSS = r.Utime.Nano(), r.Stime.Nano(), int64(r.Maxrss)
	if runtime.GOOS == "linux" {
		maxRSS *= 1024 // Linux counts kilobytes, darwin bytes
	}
	return user, system, maxRSS
}

// kernel is the system's name and version; empty: not known.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	text := func(b []byte) string { return string(b[:max(bytes.IndexByte(b, 0), 0)]) }
	return text(u.Sysname[:]) + " " + text(u.Release[:])
}
