package option

import (
	"strings"

	"github.com/inferometer/inferometer/internal/usage"
)

// Error is what is wrong with the value of one option. Its words are the same
// everywhere; how the options are named in them, by flag or by key, is the front
// end's business.
type Error struct {
	Key        string
	text, hint usage.Sentence
}

// Ref names another option by its key in the text of an Error.
type Ref = usage.Ref

// Errorf makes an Error about an option. The text reads on from its name ("must be
// above 0, not 3").
func Errorf(key, format string, args ...any) *Error {
	return &Error{Key: key, text: usage.Sentence{Format: format, Args: args}}
}

// WithHint adds what the user can do.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.hint = usage.Sentence{Format: format, Args: args}
	return e
}

// Text is what is wrong, without the option's own name; name says how others are called.
func (e *Error) Text(name func(key string) string) string { return e.text.In(name) }

// Hint is what the user can do about it; it may be empty.
func (e *Error) Hint(name func(key string) string) string { return e.hint.In(name) }

// Error names options by their keys.
func (e *Error) Error() string {
	byKey := func(key string) string { return key }
	text := e.Key + " " + e.Text(byKey)
	if hint := e.Hint(byKey); hint != "" {
		text += "; " + hint
	}
	return text
}

// Usage is the error with the options named by their flags among some fields. flag is that
// of the option itself; empty: it is found in the same way.
func (e *Error) Usage(flag string, fields []Field) *usage.Error {
	named := func(key string) string { return FlagName(fields, key) }
	if flag == "" {
		flag = named(e.Key)
	}
	return usage.New(flag, e.text.Each(named), e.hint.Each(named))
}

// FlagName is the flag of a key among some fields. A key that is not among them is an
// option of all choices, whose flag is spelled like its key.
func FlagName(fields []Field, key string) string {
	for _, f := range fields {
		if f.Key == key && f.Flag != "" {
			return f.Flag
		}
	}
	return strings.ReplaceAll(key, "_", "-")
}
