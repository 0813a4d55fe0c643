package target

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startTime tells when a process was started. ok is false for one that is gone or
// only waits to be reaped.
func startTime(pid int) (moment string, ok bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	const zombie = 5 // SZOMB of sys/proc.h
	if err != nil || int(p.Proc.P_pid) != pid || p.Proc.P_stat == zombie {
		return "", false
	}
	t := p.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), true
}
