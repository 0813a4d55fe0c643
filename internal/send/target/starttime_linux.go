package target

import (
	"fmt"
	"os"
	"strings"
)

// startTime tells when a process was started, as the kernel counts: ticks since
// boot, and the boot. ok is false for one that is gone or only waits to be reaped.
func startTime(pid int) (moment string, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The second field is the program's name in brackets, which may hold anything.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	const state, ticks = 0, 19 // fields 3 and 22 of proc(5)
	if len(fields) <= ticks || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[ticks], true
}
