package machine

import (
	"fmt"

	"github.com/prometheus/procfs"
)

// StartTime tells when a process was started, as the kernel counts: the boot, and ticks since then. It is
// an error for one that is gone or only waits to be reaped.
func (m *Machine) StartTime(pid int) (string, error) {
	stat, err := read(m, fmt.Sprintf("%d/stat", pid), func() (procfs.ProcStat, error) {
		p, err := m.proc.Proc(pid)
		if err != nil {
			return procfs.ProcStat{}, err
		}
		return p.Stat()
	})
	if err != nil {
		return "", err
	}
	if stat.State == "Z" || stat.State == "X" {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	boot, err := m.Line("proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s/%d", boot, stat.Starttime), nil
}
