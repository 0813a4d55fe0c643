package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
)

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

// Finish prints the error of a command once and turns it into an exit code. The command
// without a name is inferometer URL, which has the flags of bench serve.
func Finish(w io.Writer, name string, err error) int {
	who := strings.TrimSpace("inferometer " + name)
	var wrong *argv.UsageError
	var c Coded
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &c):
		if c.Err != nil {
			fmt.Fprintf(w, "%s: %v\n", who, c.Err)
		}
		return c.Code
	case errors.As(err, &wrong):
		fmt.Fprintf(w, "%s: %v\n", who, err)
		switch { // one hint is enough
		case wrong.Hint != "" || wrong.Advised:
		case wrong.Flag != "":
			fmt.Fprintf(w, "(inferometer help --%s says what it takes)\n", wrong.Flag)
		default:
			fmt.Fprintf(w, "(inferometer %s --help-all lists all flags)\n", cmp.Or(name, "bench serve"))
		}
		return ExitUsage
	}
	fmt.Fprintf(w, "%s: %v\n", who, err)
	return ExitNothing
}
