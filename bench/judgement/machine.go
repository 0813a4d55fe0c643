package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what the machine's processors did up to a moment, and what we and those that we waited for took of it.
type usage struct {
	total, idle, stolen float64 // ticks
	ours                time.Duration
}

// ticksPerSecond is what Linux shows /proc/stat in, on every platform.
const ticksPerSecond = 100

// readUsage is all zero where the system has no /proc/stat: then nothing is known.
func readUsage() usage {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return usage{}
	}
	line, _, _ := strings.Cut(string(text), "\n")
	u := parseUsage(line)
	for _, of := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(of, &r) == nil {
			u.ours += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return u
}

// parseUsage reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
func parseUsage(line string) usage {
	var u usage
	for i, field := range strings.Fields(line) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || i > 8 {
			continue // the name; or guests, who are in user already
		}
		u.total += v
		switch i {
		case 4, 5:
			u.idle += v
		case 8:
			u.stolen = v
		}
	}
	return u
}

// since are the shares of the machine's time that the hypervisor took and that other programs used.
func (u usage) since(before usage) (stolen, others float64) {
	total := u.total - before.total
	if total <= 0 {
		return 0, 0
	}
	stolen = (u.stolen - before.stolen) / total
	busy := total - (u.idle - before.idle) - (u.stolen - before.stolen)
	return stolen, max(0, busy-(u.ours-before.ours).Seconds()*ticksPerSecond) / total
}
