package client

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tick is what /proc/stat counts in: 100 a second on all systems that Go runs on.
const tickNs = 10_000_000

// Times are the busy and the stolen time of all processors since boot; -1: not told.
func Times() (busyNs, stealNs int64) {
	v, ok := processorTimes()
	if !ok {
		return -1, -1
	}
	return v[1] + v[2] + v[3] + v[6] + v[7] + v[8], v[8]
}

// processorTimes are the columns of /proc/stat in nanoseconds.
func processorTimes() (v [9]int64, ok bool) {
	line := firstLine("/proc/stat") // cpu user nice system idle iowait irq softirq steal …
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return v, false
	}
	for i := range v[1:] {
		n, err := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil {
			return v, false
		}
		v[i+1] = n * tickNs
	}
	return v, true
}

// ThreadWait is how long this process's threads were ready to run and had no
// processor; -1: not told. Threads that have ended are not counted any more, but
// Go keeps its threads.
func ThreadWait() int64 {
	files, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil || len(files) == 0 {
		return -1
	}
	sum := int64(0)
	for _, f := range files {
		b, err := os.ReadFile(f) // run time, wait time, slices
		if err != nil {
			continue // the thread has just ended
		}
		fields := bytes.Fields(b)
		if len(fields) < 2 {
			return -1
		}
		n, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			return -1
		}
		sum += n
	}
	return sum
}

// OpenFiles counts this process's descriptors; -1: not told.
func OpenFiles() int {
	d, err := os.Open("/proc/self/fd")
	if err != nil {
		return -1
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return -1
	}
	return len(names)
}
