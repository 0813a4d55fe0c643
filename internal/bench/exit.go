package bench

// The exit codes of the program. docs/exit-codes.md says the same to users; a test
// compares.
const (
	ExitDone      = 0
	ExitNothing   = 1
	ExitUsage     = 2
	ExitPartial   = 3
	ExitInvalid   = 4
	ExitGate      = 5
	ExitUndecided = 6
	ExitSLO       = 7
)

// Exit is a code with what it means.
type Exit struct {
	Code    int
	Meaning string
}

// Exits are all codes, for help and man pages.
func Exits() []Exit {
	return []Exit{
		{ExitDone, "the command did what it was asked to"},
		{ExitNothing, "nothing completed, the target can't be reached, or a file can't be read or written; doctor: something is bad"},
		{ExitUsage, "the command line or a config file is wrong, or asks for what is not implemented"},
		{ExitPartial, "stopped early, with a partial result"},
		{ExitInvalid, "the verdict is INVALID, and --strict was given"},
		{ExitGate, "a gate is broken, beyond noise"},
		{ExitUndecided, "the data can't decide whether a gate, an SLO or a rule holds, or which server of ab is faster; compare: not comparable"},
		{ExitSLO, "the SLO of --slo or a rule of --rules is broken"},
	}
}
