package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// command is a program with its arguments, and variables beside those of this process.
type command struct {
	args, env []string
}

// execute runs a command to its end.
type execute func(ctx context.Context, c command, stdout, stderr io.Writer) error

// newCommand is the command in a session of its own, so that all that it starts ends with it.
func newCommand(ctx context.Context, c command, stdout, stderr io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return signalSession(cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second // a grandchild that holds the pipe
	return cmd
}

func realExecute(ctx context.Context, c command, stdout, stderr io.Writer) error {
	return newCommand(ctx, c, stdout, stderr).Run()
}
