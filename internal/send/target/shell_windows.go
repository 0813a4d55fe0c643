package target

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
)

// shell runs the text that follows.
var shell = []string{"cmd.exe", "/D", "/S", "/C"}

// newCommand gives the shell its text as it is: cmd.exe has other rules for quotes than programs.
func newCommand(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	if text, ok := ShellText(args); ok {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: strings.Join(shell, " ") + ` "` + text + `"`}
	}
	return cmd
}
