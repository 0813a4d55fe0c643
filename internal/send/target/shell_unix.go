//go:build unix

package target

import (
	"context"
	"os/exec"
)

// shell runs the text that follows.
var shell = []string{"/bin/sh", "-c"}

func newCommand(ctx context.Context, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, args[0], args[1:]...)
}
