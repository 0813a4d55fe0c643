package client

import (
	"bytes"
	"runtime"
	"syscall"

	"github.com/inferometer/inferometer/internal/journal"
	"golang.org/x/sys/unix"
)

// Usage is what this process has used of the machine so far.
type Usage struct {
	User, System int64 // ns
	MaxRSS       int64 // bytes
	GCPause      uint64
	GCCount      uint32
}

// ProcessUsage reads it.
func ProcessUsage() Usage {
	var u Usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.User, u.System, u.MaxRSS = r.Utime.Nano(), r.Stime.Nano(), int64(r.Maxrss)
		if runtime.GOOS == "linux" {
			u.MaxRSS *= 1024 // Linux counts kilobytes, darwin bytes
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.GCPause, u.GCCount = m.PauseTotalNs, m.NumGC
	return u
}

// Since is what was used after an earlier moment.
func (u Usage) Since(before Usage) journal.Client {
	return journal.Client{
		UserCPUNs: u.User - before.User, SystemCPUNs: u.System - before.System, MaxRSSBytes: u.MaxRSS,
		GCPauseNs: int64(u.GCPause - before.GCPause), GCCount: int(u.GCCount - before.GCCount),
	}
}

// FDLimit is how many files this process may have open.
func FDLimit() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Cur)
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	text := func(b []byte) string { return string(b[:max(bytes.IndexByte(b, 0), 0)]) }
	return text(u.Sysname[:]) + " " + text(u.Release[:])
}
