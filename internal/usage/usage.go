// Package usage has the error of whoever asks for something that can't be done: it
// names the flag, says what is wrong with its value, and what to do about it.
package usage

import (
	"fmt"
	"strings"
)

// Error is something wrong with a command line, a config file or a Spec.
type Error struct {
	Flag string // without dashes; empty where no flag is meant
	Text string // what is wrong
	Hint string // what to do about it; may be empty
	File string // the config file, where the value came from one
	Line int
}

// Error gives one line: place, flag, what is wrong, what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
		if e.Line > 0 {
			fmt.Fprintf(&b, "%d:", e.Line)
		}
		b.WriteString(" ")
	}
	if e.Flag != "" {
		b.WriteString("--" + e.Flag + " ")
	}
	b.WriteString(e.Text)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Errorf makes an Error about a flag. The text reads on from the flag's name ("must
// be above 0, not 3").
func Errorf(flag, format string, args ...any) *Error {
	return &Error{Flag: flag, Text: fmt.Sprintf(format, args...)}
}

// WithHint adds what the user can do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}
