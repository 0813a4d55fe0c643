// Package option reads the options of a choice (a dataset, a pace, a protocol)
// from the struct that holds them. The struct's tags are the only description of an
// option: flags, scenario keys, defaults, help, documents and schemas are made of it.
//
//	type Options struct {
//		InputLen int `json:"input_len" flag:"random-input-len" default:"1024" min:"0" help:"tokens of a prompt."`
//	}
//
// The tags are
//
//	json      the key in JSON and in a scenario; a field without it is no option
//	also      another key that a scenario may use
//	flag      the flag's name, without dashes
//	whole     "true": no part of the flag's name stands for it, since it does for a flag of vLLM's
//	common    "true": the flag stands in the short help
//	follows   a general flag that wins over this one, such as input-len
//	default   the default as text; a pointer has none and stays nil
//	shown     the default in words, where the text says too little
//	help      a sentence
//	metavar   the value's name in the help
//	many      true: the flag takes several values, which are one text with spaces between them
//	choices   the texts that are allowed, between commas
//	min, max  inclusive bounds of a number or duration
//	above, below  exclusive bounds
//
// A field is an int, float64, bool, string or time.Duration, a pointer to one of
// them, or a type of its own with UnmarshalText and MarshalText. A struct may embed
// another one to share its options.
package option

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is how an option is written.
type Kind int

// The kinds of options.
const (
	Int Kind = iota
	Float
	Bool
	String
	Duration
	Custom // a type with UnmarshalText and MarshalText
)

// Field is one option of a struct.
type Field struct {
	Key     string
	Also    string
	Flag    string // empty: it has none
	Whole   bool   // no part of the flag's name stands for it
	Common  bool   // the flag is one that people use: it stands in the short help
	Follows string
	Default string // as text; empty: none
	Shown   string
	Help    string
	Metavar string
	Choices []string
	Many    bool
	Kind    Kind
	// Optional says that the field is a pointer: without a value it is nil.
	Optional bool

	min, max, above, below *float64
	index                  []int
	custom                 reflect.Type
}

// Checker is a struct that checks its options beside each other.
type Checker interface{ Check() error }

// New makes a T with its defaults.
func New[T any]() *T {
	v := new(T)
	SetDefaults(v)
	return v
}

var known sync.Map // reflect.Type to []Field

// Fields are the options of the struct that v points to, in the order of its fields.
// Tags that make no sense are a programmer's mistake and panic.
func Fields(v any) []Field {
	if v == nil {
		return nil
	}
	t := reflect.TypeOf(v).Elem()
	if found, ok := known.Load(t); ok {
		return found.([]Field)
	}
	var fields []Field
	for _, sf := range reflect.VisibleFields(t) {
		if sf.Anonymous || sf.Tag.Get("json") == "" {
			continue
		}
		fields = append(fields, read(sf))
	}
	fields = slices.Clip(fields) // all callers share it: who appends gets a copy
	known.Store(t, fields)
	return fields
}

// Find is the option with this key.
func Find(v any, key string) (Field, bool) {
	for _, f := range Fields(v) {
		if f.Key == key || f.Also == key {
			return f, true
		}
	}
	return Field{}, false
}

func read(sf reflect.StructField) Field {
	tag := sf.Tag
	key, _, _ := strings.Cut(tag.Get("json"), ",")
	f := Field{
		Key: key, Also: tag.Get("also"), Flag: tag.Get("flag"), Whole: tag.Get("whole") == "true", Common: tag.Get("common") == "true", Follows: tag.Get("follows"),
		Default: tag.Get("default"), Shown: tag.Get("shown"), Help: tag.Get("help"), Metavar: tag.Get("metavar"),
		Many: tag.Get("many") == "true", index: sf.Index,
	}
	bad := func(format string, args ...any) {
		panic(fmt.Sprintf("option: %s: ", sf.Name) + fmt.Sprintf(format, args...))
	}
	t := sf.Type
	if f.Optional = t.Kind() == reflect.Pointer; f.Optional {
		t = t.Elem()
	}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[textual]()):
		f.Kind, f.custom = Custom, t
	case t == reflect.TypeFor[time.Duration]():
		f.Kind = Duration
	case t.Kind() == reflect.Int:
		f.Kind = Int
	case t.Kind() == reflect.Float64:
		f.Kind = Float
	case t.Kind() == reflect.Bool:
		f.Kind = Bool
	case t.Kind() == reflect.String:
		f.Kind = String
	default:
		bad("%s can't be an option", sf.Type)
	}
	if c := tag.Get("choices"); c != "" {
		f.Choices = strings.Split(c, ",")
	}
	for name, bound := range map[string]**float64{"min": &f.min, "max": &f.max, "above": &f.above, "below": &f.below} {
		text, given := tag.Lookup(name)
		if !given {
			continue
		}
		v, err := f.bound(text)
		if err != nil {
			bad("%s: %v", name, err)
		}
		*bound = &v
	}
	if f.Kind == Int && f.max == nil {
		most := float64(mostInt)
		f.max = &most
	}
	if f.Metavar == "" {
		f.Metavar = f.usualMetavar()
	}
	if f.Optional && f.Default != "" {
		bad("a pointer has no default")
	}
	return f
}

// bound reads a bound in the units of the field.
func (f *Field) bound(text string) (float64, error) {
	if f.Kind == Duration {
		d, err := ParseDuration(text)
		return float64(d), err
	}
	return ParseFloat(text)
}

func (f *Field) usualMetavar() string {
	switch {
	case len(f.Choices) > 0:
		return "{" + strings.Join(f.Choices, "|") + "}"
	case f.Kind == Int:
		return "N"
	case f.Kind == Float:
		return "X"
	case f.Kind == Duration:
		return "DURATION"
	case f.Kind == Custom:
		return "VALUE"
	}
	return "TEXT"
}

// ShownDefault is the default in the help's words; empty: there is nothing to show.
func (f *Field) ShownDefault() string {
	if f.Shown != "" {
		return f.Shown
	}
	return f.Default
}
