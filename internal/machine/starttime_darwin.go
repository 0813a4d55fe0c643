package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// StartTime tells when a process was started. It is an error for one that is gone or only waits to be reaped.
func (*Machine) StartTime(pid int) (string, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	const zombie = 5 // SZOMB of sys/proc.h
	if int(p.Proc.P_pid) != pid || p.Proc.P_stat == zombie {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	t := p.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), nil
}
