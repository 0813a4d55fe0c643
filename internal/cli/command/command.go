// Package command holds what all commands of the program share: their streams, the
// parsing of flags with --help, errors with an exit code, the terminal, and the line
// of progress that overwrites itself.
package command

import (
	"context"
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	// Describe is shown the flags of a command in place of running it; nil: it is run.
	// Completion, man pages and help read the declarations by it: there is no second list.
	Describe func(*argv.Set)

	// Elsewhere says which commands have a flag that another one was given; it may be nil.
	Elsewhere func(flag string) string
}

// Entry is one command of the program.
type Entry struct {
	Name    string // as typed, words separated by a space
	Summary string
	Run     func(ctx context.Context, s Streams, args []string) error
}

// Describe is the declarations of a command. Nothing is run: each command gives its flags
// to Parse before it does anything. It is nil for one that has none.
func (e Entry) Describe() (set *argv.Set) {
	s := Streams{In: eof{}, Out: io.Discard, Err: io.Discard, Describe: func(declared *argv.Set) { set = declared }}
	if err := e.Run(context.Background(), s, nil); err != nil {
		return nil
	}
	return set
}

// eof is an input with nothing in it.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Parse reads a command's flags. done is true when the user only asked for help, or when
// the command is only described.
func Parse(s Streams, set *argv.Set, args []string) (done bool, err error) {
	if s.Describe != nil {
		s.Describe(set)
		return true, nil
	}
	set.Elsewhere(s.Elsewhere)
	err = set.Parse(args)
	if errors.Is(err, argv.ErrHelpAll) {
		set.HelpAll(s.Out, TerminalWidth(s.Out))
		return true, nil
	}
	if errors.Is(err, argv.ErrHelp) {
		set.Help(s.Out, TerminalWidth(s.Out))
		return true, nil
	}
	return false, err
}
