package cli

import (
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/show/export"
)

// The terminal, as the commands of this package call it.
var (
	isTerminal    = command.IsTerminal
	terminalWidth = command.TerminalWidth
	consoleWidth  = command.ResultWidth
	colored       = command.Colored
	fit           = command.Fit
	fullVersion   = command.Version
	interrupts    = command.Interrupts
	stopSignals   = command.StopSignals
)

// Version is the release.
const Version = command.Release

// The reading of runs, as the commands of this package call it.
var (
	judge    = judged.Journal
	judgeSLO = judged.SLO

	appendSections = export.AppendSections
)
