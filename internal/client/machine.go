package client

import (
	"sync"

	"github.com/inferometer/inferometer/internal/machine"
)

// here is this machine. It is opened once: a sample is taken every second of a run.
var here = sync.OnceValue(machine.This)

// Times are the busy and the stolen time of all processors since boot; -1: not told.
func Times() (busyNs, stealNs int64) {
	t, err := here().CPUTimes()
	if err != nil {
		return -1, -1
	}
	return int64(t.Busy()), int64(t.Steal)
}

// ThreadWait is how long this process's threads were ready to run and had no
// processor; -1: not told.
func ThreadWait() int64 {
	d, err := here().ThreadWait()
	if err != nil {
		return -1
	}
	return int64(d)
}

// OpenFiles counts this process's descriptors; -1: not told.
func OpenFiles() int {
	n, err := here().OpenFiles()
	if err != nil {
		return -1
	}
	return n
}
