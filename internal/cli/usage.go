package cli

import (
	"bytes"
	"fmt"
	"runtime"
	"syscall"

	"github.com/inferometer/inferometer/internal/journal"
	"golang.org/x/sys/unix"
)

// usage is what this process has used of the machine so far.
type usage struct {
	user, system int64 // ns
	maxRSS       int64 // bytes
	gcPause      uint64
	gcCount      uint32
}

func processUsage() usage {
	var u usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.user, u.system, u.maxRSS = r.Utime.Nano(), r.Stime.Nano(), int64(r.Maxrss)
		if runtime.GOOS == "linux" {
			u.maxRSS *= 1024 // Linux counts kilobytes, darwin bytes
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.gcPause, u.gcCount = m.PauseTotalNs, m.NumGC
	return u
}

// since is what was used after an earlier moment.
func (u usage) since(before usage) journal.Client {
	return journal.Client{
		UserCPUNs: u.user - before.user, SystemCPUNs: u.system - before.system, MaxRSSBytes: u.maxRSS,
		GCPauseNs: int64(u.gcPause - before.gcPause), GCCount: int(u.gcCount - before.gcCount),
	}
}

// fdLimit is how many files this process may have open.
func fdLimit() uint64 {
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

// memoryBytes is the machine's memory, 0 where /proc doesn't tell.
func memoryBytes() int64 {
	var kb int64
	if _, err := fmt.Sscanf(fieldOf("/proc/meminfo", "MemTotal"), "%d kB", &kb); err != nil {
		return 0
	}
	return kb * 1024
}
