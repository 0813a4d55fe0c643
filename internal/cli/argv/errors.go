package argv

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/usage"
)

// ErrHelp is returned by Parse when the user asked for help.
var ErrHelp = errors.New("help requested")

// ErrHelpAll is the ErrHelp of --help-all: every flag is wanted.
var ErrHelpAll = fmt.Errorf("all of it: %w", ErrHelp)

// UsageError is something wrong with the command line or the config file.
type UsageError = usage.Error

// Errorf makes a UsageError about a flag, for the checks that a command makes
// after parsing. An error about a value that the config set names the flag, not its line.
func Errorf(flag, format string, args ...any) *UsageError {
	return usage.Errorf(flag, format, args...)
}

// at gives err the flag and the place that the parser knows and the value's
// parser does not.
func at(err error, flag, file string, line int) error {
	if errors.Is(err, ErrHelp) {
		return err
	}
	var u *UsageError
	if !errors.As(err, &u) {
		u = &UsageError{Text: err.Error()}
	}
	located := *u
	if located.Flag == "" {
		located.Flag = flag
	}
	located.File, located.Line = file, line
	return &located
}

// nearest returns the declared name that the wrong one was most likely meant to be, or "".
func (s *Set) nearest(wrong string) string {
	var names []string
	for _, f := range s.flags {
		if !f.Hidden {
			names = slices.Concat(names, []string{f.Name}, f.aliases, f.silent)
		}
	}
	near := usage.Nearest(wrong, names)
	if f := s.byName[near].flag; f != nil && slices.Contains(f.silent, near) {
		return f.Name
	}
	return near
}
