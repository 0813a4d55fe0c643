package command

import "github.com/inferometer/inferometer/internal/bench"

// The exit codes; package bench has what each means.
const (
	ExitDone      = bench.ExitDone
	ExitNothing   = bench.ExitNothing
	ExitUsage     = bench.ExitUsage
	ExitPartial   = bench.ExitPartial
	ExitInvalid   = bench.ExitInvalid
	ExitGate      = bench.ExitGate
	ExitUndecided = bench.ExitUndecided
	ExitSLO       = bench.ExitSLO
)

// Coded is an error with an exit code of its own. With a nil error it only ends the
// program: what went wrong has been said.
type Coded struct {
	Err  error
	Code int
}

// Exit is an error with an exit code.
func Exit(code int, err error) Coded { return Coded{Err: err, Code: code} }

func (c Coded) Error() string {
	if c.Err == nil {
		return ""
	}
	return c.Err.Error()
}

func (c Coded) Unwrap() error { return c.Err }
