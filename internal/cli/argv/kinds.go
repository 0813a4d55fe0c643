package argv

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/usage"
)

// Pair is one KEY=VALUE of a KeyValues flag.
type Pair struct{ Key, Value string }

// scalar declares a flag with one value.
func scalar[T any](s *Set, dst *T, f *Flag, opts []Option, parse func(string) (T, error)) *Flag {
	f.arity = OneValue
	f.store = func(values []string) error {
		v, err := parse(values[0])
		if err == nil {
			*dst = v
		}
		return err
	}
	s.add(f, opts)
	return f
}

// pointer makes the parser of an optional value from that of the value.
func pointer[T any](parse func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := parse(text)
		return &v, err
	}
}

func asIs(text string) (string, error) { return text, nil }

// String declares a flag with any text.
func (s *Set) String(dst *string, name, def, help string, opts ...Option) {
	*dst = def
	scalar(s, dst, &Flag{Name: name, Help: help, Default: def, Metavar: "TEXT"}, opts, asIs)
}

// Int declares a flag with a whole number.
func (s *Set) Int(dst *int, name string, def int, help string, opts ...Option) {
	*dst = def
	scalar(s, dst, &Flag{Name: name, Help: help, Default: strconv.Itoa(def), Metavar: "N", value: TypeInt}, opts, option.ParseInt)
}

// OptInt declares a flag with a whole number; unset it is nil.
func (s *Set) OptInt(dst **int, name, help string, opts ...Option) {
	*dst = nil
	scalar(s, dst, &Flag{Name: name, Help: help, Metavar: "N", value: TypeInt}, opts, pointer(option.ParseInt))
}

// Float declares a flag with a number. inf is one; nan is not.
func (s *Set) Float(dst *float64, name string, def float64, help string, opts ...Option) {
	*dst = def
	scalar(s, dst, &Flag{Name: name, Help: help, Default: option.FormatFloat(def), Metavar: "X", value: TypeFloat}, opts, option.ParseFloat)
}

// OptFloat declares a flag with a number; unset it is nil.
func (s *Set) OptFloat(dst **float64, name, help string, opts ...Option) {
	*dst = nil
	scalar(s, dst, &Flag{Name: name, Help: help, Metavar: "X", value: TypeFloat}, opts, pointer(option.ParseFloat))
}

// Duration declares a flag with a time span: 90s, 2m, 1h30m. A bare number is seconds.
func (s *Set) Duration(dst *time.Duration, name string, def time.Duration, help string, opts ...Option) {
	*dst = def
	scalar(s, dst, &Flag{Name: name, Help: help, Default: option.FormatDuration(def), Metavar: "DURATION", value: TypeDuration}, opts, option.ParseDuration)
}

// Custom declares a flag whose value is text that the command reads itself. The
// error's text reads on from the flag's name. In a config the value may also be a
// mapping: it is handed over as JSON.
func (s *Set) Custom(name, def, help string, store func(string) error, opts ...Option) {
	f := &Flag{Name: name, Help: help, Default: def, Metavar: "VALUE", arity: OneValue, shape: textOrJSON, value: TypeOwn}
	f.store = func(values []string) error { return store(values[0]) }
	s.add(f, opts)
}

// Option declares the flag of an option that describes itself; its texts go to store.
func (s *Set) Option(field option.Field, store func(texts []string) error, opts ...Option) {
	f := &Flag{
		Name: field.Flag, Help: field.Help, Group: field.Group, Default: field.ShownDefault(), Metavar: field.Metavar, Hidden: field.Hidden, Common: field.Common, whole: field.Whole,
		Choices: field.Choices, Refused: field.Refused, arity: OneValue, adds: field.Repeat, shape: textOrJSON, value: optionTypes[field.Kind],
	}
	f.store = func(values []string) error { return OptionError("", store(values)) }
	switch {
	case len(field.Choices) > 0:
		f.value = TypeChoice
	case len(field.Offered) > 0:
		f.Choices = field.Offered
	}
	switch {
	case field.CanBeOff(): // --name and --no-name
		f.arity = triValue
		if field.Optional {
			f.Default = ""
		}
	case field.Kind == option.Bool:
		f.arity, f.Default = NoValue, ""
		f.store = func([]string) error { return OptionError("", store([]string{"true"})) }
	case field.Kind == option.Words, field.Kind == option.Numbers:
		f.shape = csvShape
	case field.Kind == option.JSON:
		f.shape = jsonText
	case field.Kind == option.Custom && field.Native(): // its JSON says other things than its text
		f.shape, f.value = plain, TypeText
	case field.Repeat:
	case field.Kind == option.Several:
		f.arity, f.shape, f.value, f.pairSep = ZeroOrMore, plain, TypePairs, field.Separator
	case field.Many:
		f.arity, f.shape, f.value = OneOrMore, plain, TypeWords
	}
	if field.Some {
		f.arity = OneOrMore
	}
	s.add(f, opts)
}

// Options declares the flags of a struct whose fields describe themselves, with their defaults.
func (s *Set) Options(v any, opts ...Option) {
	option.SetDefaults(v)
	for _, f := range option.Fields(v) {
		s.Option(f, func(texts []string) error { return f.SetTexts(v, texts) }, opts...)
	}
}

// CheckOptions looks at the bounds of what Options declared.
func CheckOptions(v any) error {
	var e *option.Error
	if err := option.Check(v); errors.As(err, &e) {
		return e.Usage("", option.Fields(v))
	} else if err != nil {
		return err
	}
	return nil
}

// OptionError is an [option.Error] about the option of a flag, in the words of flags.
// The flag may be left out for the parser to fill in.
func OptionError(flag string, err error) error {
	var e *option.Error
	if !errors.As(err, &e) {
		return err
	}
	said := e.Usage(flag, nil)
	said.Flag = flag
	return said
}

// Choice declares a flag with one of a few values.
func (s *Set) Choice(dst *string, name, def string, choices []string, help string, opts ...Option) {
	*dst = def
	f := &Flag{Name: name, Help: help, Default: def, Metavar: "{" + strings.Join(choices, "|") + "}", Choices: choices, value: TypeChoice}
	scalar(s, dst, f, opts, func(text string) (string, error) {
		switch {
		case slices.Contains(choices, text):
			return text, nil
		case slices.Contains(f.Refused, text):
			return "", Errorf("", "%s %s", text, f.later)
		}
		err := Errorf("", "must be one of %s, not %q", strings.Join(choices, ", "), text)
		if near := usage.Nearest(strings.ToLower(text), choices); near != "" {
			return "", err.WithHint("did you mean %s?", near)
		}
		return "", err
	})
}

// Bool declares a flag without a value: it is there or not.
func (s *Set) Bool(dst *bool, name, help string, opts ...Option) {
	*dst = false
	s.add(&Flag{
		Name: name, Help: help, arity: NoValue,
		store: func([]string) error { *dst = true; return nil },
	}, opts)
}

// TriBool declares --name and --no-name; with neither it is nil.
func (s *Set) TriBool(dst **bool, name, help string, opts ...Option) {
	*dst = nil
	s.add(&Flag{
		Name: name, Help: help, arity: triValue,
		store: func(values []string) error {
			v := values[0] == "true"
			*dst = &v
			return nil
		},
	}, opts)
}

// Strings declares a list flag. The arity is ZeroOrMore or OneOrMore.
func (s *Set) Strings(dst *[]string, name string, arity Arity, help string, opts ...Option) {
	*dst = nil
	s.add(&Flag{
		Name: name, Help: help, Metavar: "TEXT", arity: arity, value: TypeWords,
		store: func(values []string) error { *dst = values; return nil },
	}, opts)
}

// KeyValues declares a list flag of KEY=VALUE, kept in order. The arity is
// ZeroOrMore or OneOrMore. In a config it may be a mapping too.
func (s *Set) KeyValues(dst *[]Pair, name string, arity Arity, help string, opts ...Option) {
	*dst = nil
	s.add(&Flag{
		Name: name, Help: help, Metavar: "KEY=VALUE", arity: arity, pairSep: "=", value: TypePairs,
		store: func(values []string) error {
			pairs, err := parsePairs(values)
			if err == nil {
				*dst = pairs
			}
			return err
		},
	}, opts)
}

// JSON declares a flag with a JSON value. Besides --x '{"a": {"b": 1}}' the form
// --x.a.b 1 is understood, and a mapping in the config.
func (s *Set) JSON(dst *json.RawMessage, name, help string, opts ...Option) {
	*dst = nil
	f := &Flag{Name: name, Help: help, Metavar: "JSON", shape: jsonText, value: TypeJSON}
	scalar(s, dst, f, opts, func(text string) (json.RawMessage, error) { return option.ParseJSON(text, false) })
}

// CSV declares a flag with words between commas. Spaces around a word are dropped, and given again it adds.
func (s *Set) CSV(dst *[]string, name string, def []string, help string, opts ...Option) {
	*dst = def
	f := &Flag{Name: name, Help: help, Default: strings.Join(def, ","), Metavar: "A,B,…", arity: OneValue, adds: true, shape: csvShape, value: TypeCSV}
	f.store = func(values []string) error {
		words, err := option.ParseWords(strings.Join(values, ","))
		if err == nil {
			*dst = words
		}
		return err
	}
	s.add(f, opts)
}
