//go:build unix

package target

import "syscall"

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
)

// inGroup starts a process in a group; 0 makes one of its own.
func inGroup(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// signalGroup signals all of a group; that nobody is left is what we want.
func signalGroup(group int, s syscall.Signal) { _ = syscall.Kill(-group, s) }

// groupOf is the group of a process, 0 if there is none.
func groupOf(pid int) int {
	group, err := syscall.Getpgid(pid)
	if err != nil {
		return 0
	}
	return group
}
