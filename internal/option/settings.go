package option

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is what was chosen for one flag, by whoever chose it: a command line, a key of a
// scenario, a search. It is a value, not a text to be read again.
type Setting struct {
	Flag   string   // its name, without dashes
	Values []string // none: it is switched on
	Joined bool     // it is shown as --flag=value
}

// Settings are laid over defaults in their order: of a flag given twice the last one counts.
type Settings []Setting

// Add chooses a flag's values; none switch it on.
func (s *Settings) Add(flag string, values ...string) {
	*s = append(*s, Setting{Flag: flag, Values: values})
}

// Text adds a text unless it is empty.
func (s *Settings) Text(flag, value string) {
	if value != "" {
		s.Add(flag, value)
	}
}

// Number adds a number unless it is nil.
func (s *Settings) Number(flag string, value *int) {
	if value != nil {
		s.Add(flag, strconv.Itoa(*value))
	}
}

// Float adds a number unless it is nil.
func (s *Settings) Float(flag string, value *float64) {
	if value != nil {
		s.Add(flag, strings.TrimPrefix(strconv.FormatFloat(*value, 'g', -1, 64), "+"))
	}
}

// Span adds a time unless it is 0.
func (s *Settings) Span(flag string, value time.Duration) {
	if value > 0 {
		s.Add(flag, value.String())
	}
}

// With returns the settings and one more, and leaves s alone.
func (s Settings) With(flag string, values ...string) Settings {
	return append(slices.Clip(s), Setting{Flag: flag, Values: values})
}

// Without returns the settings but those of flags that drop names.
func (s Settings) Without(drop func(flag string) bool) Settings {
	return slices.DeleteFunc(slices.Clone(s), func(one Setting) bool { return drop(one.Flag) })
}

// Words returns the settings as a person types them. They are shown, and never read again.
func (s Settings) Words() (words []string) {
	for _, one := range s {
		name := "--" + one.Flag
		// A value that begins with a dash would be taken for a flag.
		if len(one.Values) == 1 && (one.Joined || strings.HasPrefix(one.Values[0], "-")) {
			words = append(words, name+"="+one.Values[0])
			continue
		}
		words = append(append(words, name), one.Values...)
	}
	return words
}
