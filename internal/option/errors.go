package option

import (
	"fmt"
	"strings"
)

// Error is what is wrong with the value of one option. Its words are the same
// everywhere; how the options are named in them, by flag or by key, is the front
// end's business.
type Error struct {
	Key        string
	text, hint sentence
}

// sentence is a text in which other options are named.
type sentence struct {
	format string
	args   []any
}

func (s sentence) in(name func(key string) string) string {
	args := make([]any, len(s.args))
	for i, a := range s.args {
		if ref, ok := a.(Ref); ok {
			a = name(string(ref))
		}
		args[i] = a
	}
	return fmt.Sprintf(s.format, args...)
}

// Ref names another option by its key in the text of an Error.
type Ref string

// Errorf makes an Error about an option. The text reads on from its name ("must be
// above 0, not 3").
func Errorf(key, format string, args ...any) *Error {
	return &Error{Key: key, text: sentence{format, args}}
}

// WithHint adds what the user can do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.hint = sentence{format, args}
	return e
}

// Text is what is wrong, without the option's own name; name says how others are called.
func (e *Error) Text(name func(key string) string) string { return e.text.in(name) }

// Hint is what the user can do about it; it may be empty.
func (e *Error) Hint(name func(key string) string) string { return e.hint.in(name) }

// Error names options by their keys.
func (e *Error) Error() string {
	byKey := func(key string) string { return key }
	text := e.Key + " " + e.Text(byKey)
	if hint := e.Hint(byKey); hint != "" {
		text += "; " + hint
	}
	return text
}

// FlagName is the flag of a key among some fields, with its dashes. A key that is not
// among them is an option of all choices, whose flag is spelled like its key.
func FlagName(fields []Field, key string) string {
	for _, f := range fields {
		if f.Key == key && f.Flag != "" {
			return "--" + f.Flag
		}
	}
	return "--" + strings.ReplaceAll(key, "_", "-")
}
