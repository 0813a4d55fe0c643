package usage

import (
	"errors"
	"fmt"
)

// Ref names an option in a text: by its flag, without dashes, or where the package that
// writes the text has keys, by its key. How the option is called is the front end's business.
type Ref string

// Sentence is a text in which options are named by [Ref].
type Sentence struct {
	Format string
	Args   []any
}

// In is the text with the names that options have for the user.
func (s Sentence) In(name func(ref string) string) string {
	args := make([]any, len(s.Args))
	for i, a := range s.Args {
		var inner *Error
		if ref, ok := a.(Ref); ok {
			a = name(string(ref))
		} else if err, ok := a.(error); ok && errors.As(err, &inner) {
			a = inner.Named(name)
		}
		args[i] = a
	}
	return fmt.Sprintf(s.Format, args...)
}

// Each changes the names of options.
func (s Sentence) Each(to func(ref string) string) Sentence {
	args := make([]any, len(s.Args))
	for i, a := range s.Args {
		if ref, ok := a.(Ref); ok {
			a = Ref(to(string(ref)))
		}
		args[i] = a
	}
	return Sentence{s.Format, args}
}
