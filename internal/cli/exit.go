package cli

// The exit codes. docs/exit-codes.md says the same to users; a test compares.
const (
	exitDone      = 0 // the command did what it was asked to
	exitNothing   = 1 // nothing completed, the target can't be reached, or a file can't be read or written; doctor: something is bad
	exitUsage     = 2 // the command line or a config file is wrong, or asks for what is not implemented
	exitPartial   = 3 // stopped early, with a partial result
	exitInvalid   = 4 // the verdict is INVALID, and --strict was given
	exitGate      = 5 // a gate is broken, beyond noise
	exitUndecided = 6 // the data can't decide whether a gate or an SLO holds, or which server of ab is faster
	exitSLO       = 7 // the SLO of --slo is broken
)
