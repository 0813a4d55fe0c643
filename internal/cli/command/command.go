// Package command holds what all commands of the program share: their streams, the
// parsing of flags with --help, errors with an exit code, the terminal, and the line
// of progress that overwrites itself.
package command

import (
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Parse reads a command's flags. done is true when the user only asked for help.
func Parse(s Streams, set *argv.Set, args []string) (done bool, err error) {
	err = set.Parse(args)
	if errors.Is(err, argv.ErrHelp) {
		set.Help(s.Out, TerminalWidth(s.Out))
		return true, nil
	}
	return false, err
}
