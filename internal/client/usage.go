package client

import (
	"runtime"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
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
	u.User, u.System, u.MaxRSS = processTimes()
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

// FDLimit is how many files this process may have open; 0: not known, or there is no limit.
func FDLimit() uint64 {
	soft, _, _ := machine.OpenFileLimit()
	return soft
}
