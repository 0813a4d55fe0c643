// Package option reads the options of a run, or of a choice in it (a dataset, a pace),
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
//	flag      the flag's name, without dashes; without it there is no flag
//	group     the heading of the help under which the flag stands
//	whole     "true": no part of the flag's name stands for it, since it does for a flag of vLLM's
//	common    "true": the flag stands in the short help
//	follows   a general flag that wins over this one, such as input-len
//	default   the default as text; a pointer has none and stays nil
//	shown     the default in words, where the text says too little
//	help      a sentence
//	metavar   the value's name in the help
//	many      true: the flag takes several values, which are one text with spaces between them
//	hidden    "true": the flag is not in the help
//	redact    how a value is hidden where a command line is written down, by a name that the front end knows
//	choices   the texts that are allowed, between commas; one that is empty may be left out
//	refused   texts that are known and refused, between commas; why says the reason, reading on from the text
//	some      "true": of several texts there is at least one
//	repeat    "true": a flag that is given again adds to what was given before; of several texts each has the flag before it
//	separator what stands between key and value of pairs; "=" unless given
//	min, max  inclusive bounds of a number or duration
//	above, below  exclusive bounds
//
// A field is an int, float64, bool, string or time.Duration, a pointer to one of
// them, a list of texts or numbers, JSON, or a type of its own with UnmarshalText and
// MarshalText, or with SetTexts and Texts. Of any other type it can be written as JSON
// only. A struct may embed another one to share its options; a json tag on that one
// makes it a section, whose group its fields have unless they say otherwise.
package option

import (
	"cmp"
	"encoding/json"
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
	Custom  // a type with UnmarshalText and MarshalText
	Words   // a []string, with commas between its texts
	Numbers // a []float64, with commas
	JSON    // a json.RawMessage
	Several // a type with SetTexts and Texts
	Object  // any other type: it has no text
)

// several is a type whose value is written as several texts.
type several interface {
	SetTexts(texts []string) error
	Texts() []string
}

// Field is one option of a struct.
type Field struct {
	Section string // empty: the struct has none
	Key     string
	Also    string
	Flag    string // empty: it has none
	Whole   bool   // no part of the flag's name stands for it
	Common  bool   // the flag is one that people use: it stands in the short help
	Hidden  bool   // the flag is not in the help
	Group   string
	Follows string
	Default string // as text; empty: none
	Shown   string
	Help    string
	Metavar string
	Choices []string
	Refused []string // known, and refused for the reason that Why says
	Why     string
	Offered []string // what a shell may offer; others are taken too
	Many    bool
	Kind    Kind
	// Optional says that the field is a pointer: without a value it is nil.
	Optional  bool
	Omit      bool   // not written where it is empty
	Redact    string // how a value is hidden; empty: it is shown
	Separator string
	Some      bool // of several texts there is at least one
	Repeat    bool // given again, the flag adds to what was given before

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
	fields := collect(t, Field{}, nil)
	fields = slices.Clip(fields) // all callers share it: who appends gets a copy
	known.Store(t, fields)
	return fields
}

// collect lists the options of a struct. What section says of its fields is theirs
// unless they say otherwise.
func collect(t reflect.Type, section Field, index []int) (fields []Field) {
	for i := range t.NumField() {
		sf := t.Field(i)
		key, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		at := append(slices.Clone(index), i)
		switch {
		case sf.Anonymous && sf.Type.Kind() == reflect.Struct:
			inner := Field{Section: cmp.Or(key, section.Section), Group: cmp.Or(sf.Tag.Get("group"), section.Group)}
			fields = append(fields, collect(sf.Type, inner, at)...)
		case key != "" && key != "-":
			f := read(sf, key)
			f.Section, f.Group, f.index, f.Omit = section.Section, cmp.Or(f.Group, section.Group), at, options != ""
			fields = append(fields, f)
		}
	}
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

func read(sf reflect.StructField, key string) Field {
	tag := sf.Tag
	f := Field{
		Key: key, Also: tag.Get("also"), Flag: tag.Get("flag"), Whole: tag.Get("whole") == "true", Common: tag.Get("common") == "true", Follows: tag.Get("follows"),
		Default: tag.Get("default"), Shown: tag.Get("shown"), Help: tag.Get("help"), Metavar: tag.Get("metavar"),
		Many: tag.Get("many") == "true", Hidden: tag.Get("hidden") == "true", Group: tag.Get("group"), Redact: tag.Get("redact"),
		Separator: cmp.Or(tag.Get("separator"), "="), Why: tag.Get("why"),
		Some: tag.Get("some") == "true", Repeat: tag.Get("repeat") == "true",
	}
	bad := func(format string, args ...any) {
		panic(fmt.Sprintf("option: %s: ", sf.Name) + fmt.Sprintf(format, args...))
	}
	t := sf.Type
	if f.Optional = t.Kind() == reflect.Pointer; f.Optional {
		t = t.Elem()
	}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[several]()):
		f.Kind = Several
	case t == reflect.TypeFor[json.RawMessage]():
		f.Kind = JSON
	case t == reflect.TypeFor[[]string]():
		f.Kind = Words
	case t == reflect.TypeFor[[]float64]():
		f.Kind = Numbers
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
	case f.Flag != "":
		bad("%s can't have a flag", sf.Type)
	default:
		f.Kind = Object
	}
	f.Choices, f.Refused = words(tag.Get("choices")), words(tag.Get("refused"))
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

// words are those of a tag, between commas.
func words(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
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
	case f.Kind == Words:
		return "A,B,…"
	case f.Kind == Numbers:
		return "X,Y,…"
	case f.Kind == JSON:
		return "JSON"
	case f.Kind == Several:
		return "KEY" + f.Separator + "VALUE"
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

// CanBeOff says whether false is something to say: of a switch that is on without a word, or whose absence means neither.
func (f *Field) CanBeOff() bool { return f.Kind == Bool && (f.Optional || f.Default == "true") }
