package cli

import (
	"github.com/inferometer/inferometer/internal/cli/command"
)

// The terminal, as the commands of this package call it.
var (
	isTerminal    = command.IsTerminal
	terminalWidth = command.TerminalWidth
	consoleWidth  = command.ResultWidth
	colored       = command.Colored
	fullVersion   = command.Version
	interrupts    = command.Interrupts
	stopSignals   = command.StopSignals
)
