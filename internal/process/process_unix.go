//go:build unix

// Package process starts programs that a Ctrl-C in the terminal does not reach.
package process

import (
	"os/exec"
	"syscall"
)

// Apart has a program started in a process group of its own.
func Apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a program that was started apart, and all of its group.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
