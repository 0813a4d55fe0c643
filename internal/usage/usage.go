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

	Advised bool // Text says what to do as well

	text, hint Sentence // of Text and Hint, whose options may be named otherwise
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
	return New(flag, Sentence{format, args}, Sentence{})
}

// New makes an Error of the sentences that say what is wrong, and what to do.
func New(flag string, text, hint Sentence) *Error {
	return &Error{Flag: flag, Text: text.In(byFlag), Hint: hint.In(byFlag), text: text, hint: hint}
}

func byFlag(flag string) string { return "--" + flag }

// Named is the error in which name says how options are called.
func (e *Error) Named(name func(flag string) string) *Error {
	said := *e
	if e.text.Format != "" {
		said.Text = e.text.In(name)
	}
	if e.hint.Format != "" {
		said.Hint = e.hint.In(name)
	}
	if e.Flag != "" {
		said.Flag, said.Text = "", name(e.Flag)+" "+said.Text
	}
	return &said
}

// WithHint adds what the user can do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.hint = Sentence{format, args}
	e.Hint = e.hint.In(byFlag)
	return e
}
