// Package process starts programs that a Ctrl-C in the terminal does not reach.
package process

import (
	"os/exec"
	"syscall"
)

// Apart has a program started in a process group of its own.
func Apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Kill ends a program that was started apart. What it has started stays.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
