package bench

// The exit codes of the program. docs/exit-codes.md says the same to users; a test
// compares.
const (
	ExitDone      = 0 // the command did what it was asked to
	ExitNothing   = 1 // nothing completed, the target can't be reached, or a file can't be read or written; doctor: something is bad
	ExitUsage     = 2 // the command line or a config file is wrong, or asks for what is not implemented
	ExitPartial   = 3 // stopped early, with a partial result
	ExitInvalid   = 4 // the verdict is INVALID, and --strict was given
	ExitGate      = 5 // a gate is broken, beyond noise
	ExitUndecided = 6 // the data can't decide whether a gate or an SLO holds, or which server of ab is faster
	ExitSLO       = 7 // the SLO of --slo is broken
)
