package cli

import "github.com/inferometer/inferometer/internal/cli/command"

// The exit codes, as the commands of this package call them.
const (
	exitDone      = command.ExitDone
	exitNothing   = command.ExitNothing
	exitUsage     = command.ExitUsage
	exitPartial   = command.ExitPartial
	exitUndecided = command.ExitUndecided
)
