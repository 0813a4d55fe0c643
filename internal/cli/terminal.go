package cli

import "github.com/inferometer/inferometer/internal/cli/command"

// The terminal, as the commands of this package call it.
var (
	consoleWidth = command.ResultWidth
	fullVersion  = command.Version
	interrupts   = command.Interrupts
)
