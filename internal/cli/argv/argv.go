// Package argv reads a command line by the rules of Python's argparse, so that
// a command written for vllm bench serve can be given to us unchanged. No flag
// library for Go knows those rules:
//
//   - a name may be written with dashes or underscores, and cut short as long as
//     it stays unique (--num_prompt 5);
//   - --flag value and --flag=value are the same;
//   - a list flag takes all arguments up to the next flag (--header A=1 B=2);
//   - of a repeated flag the last one counts, for lists too; but a list of ours adds to what was
//     given before, and the command line still replaces what a config says;
//   - a YAML file given by --config stands in for flags, and the command line wins.
//
// A command makes a [Set], binds each flag to a variable and calls [Set.Parse].
// Whatever the user can get wrong comes back as a [*UsageError] in one sentence
// that names the flag, and the file and line where the value came from a config.
//
// A flag can be declared with [Set.Unsupported]: we know what it means and don't
// do it. It is refused when it is set, because a benchmark that ignores a flag
// gives a wrong number without a word.
package argv

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Set is the flags of one command. It is parsed once.
type Set struct {
	// ReadFile reads the file of --config. It is os.ReadFile unless a test says otherwise.
	ReadFile func(name string) ([]byte, error)

	name, summary string
	typed         string // what to type for name
	flags         []*Flag
	byName        map[string]spelling
	byShort       map[byte]*Flag
	groups        []string // in the order of their first flag
	examples      []Example
	config        string // value of --config
	configFlag    *Flag

	operandName            string
	minOperands, operandsN int
	operandTakes           []Takes
	operandChoices         []string
	operands               []string
	bare                   []*Flag // that words by themselves stand for
	isBare                 func(word string) bool
	seen                   map[*Flag]Source
	given                  []occurrence                           // all of them, in the order in which they were applied
	foreign                map[string]func(rest []string) Foreign // by the name as typed, dashes included
	foreignFirst           map[string]bool                        // names that are not ours though we have them
	elsewhere              func(name string) string               // which other commands have a flag; may be nil
}

// spelling is one long name of a flag. The flag --x of a TriBool has two: x and no-x.
type spelling struct {
	flag    *Flag
	negated bool
	whole   bool // no part of the name stands for it
}

// generalGroup comes last in the help: everybody knows what is in it.
const generalGroup = "General"

// Source says where a flag's value came from.
type Source int

// The sources of a value, from the weakest to the strongest.
const (
	FromDefault Source = iota
	FromConfig
	FromCommandLine
)

// Arity is how many values a flag takes.
type Arity int

// The arities of argparse that we need.
const (
	NoValue    Arity = iota // store_true
	OneValue                // the default
	ZeroOrMore              // nargs="*"
	OneOrMore               // nargs="+"
	triValue                // --x or --no-x
)

// Flag is one declared flag. Its exported fields describe it for help and documents.
type Flag struct {
	Name        string // without dashes
	Help        string
	Group       string
	Metavar     string
	Default     string // as shown in the help; empty: nothing to show
	Unsupported string // why the flag is refused; empty: it is supported
	Hidden      bool
	Refused     []string // values of a choice that are known and refused
	Choices     []string // values to offer
	Common      bool     // one that people use: it stands in the short help
	Takes       Takes

	aliases []string
	silent  []string // accepted, and not listed
	short   byte
	whole   bool // no part of its name stands for it
	adds    bool // given again, it adds to what was given before
	arity   Arity
	value   Type
	later   string // why the values in Refused are refused
	shape   shape
	pairSep string
	redact  func(string) string
	store   func(values []string) error
}

// shape is what a config file may write for a flag besides a plain value.
type shape int

const (
	plain      shape = iota
	csvShape         // a list becomes comma-separated text
	jsonText         // anything becomes JSON
	textOrJSON       // a mapping becomes JSON, a plain value stays as it is
)

// Option changes how a flag is declared.
type Option func(*Flag)

// Group puts the flag under a heading of the help.
func Group(name string) Option { return func(f *Flag) { f.Group = name } }

// Alias adds another long name. No part of it stands for the flag: what vLLM's names can be
// cut to must not depend on our own.
func Alias(names ...string) Option {
	return func(f *Flag) { f.aliases = append(f.aliases, names...) }
}

// Server also accepts the names that other tools have for the address of a server.
func Server() Option {
	return func(f *Flag) {
		for _, name := range []string{"base-url", "url", "target", "server"} {
			if name != f.Name {
				f.silent = append(f.silent, name)
			}
		}
	}
}

// Output makes a flag the one that says where a command writes: -o and --output.
func Output() Option {
	return func(f *Flag) {
		f.short = 'o'
		if f.Name != "output" {
			f.silent = append(f.silent, "output")
		}
	}
}

// Short adds a one-letter name.
func Short(letter byte) Option { return func(f *Flag) { f.short = letter } }

// WholeName keeps the flag from being typed by a part of its name, so that it
// can't make the part of another name ambiguous.
func WholeName() Option { return func(f *Flag) { f.whole = true } }

// Hidden keeps the flag out of the help.
func Hidden() Option { return func(f *Flag) { f.Hidden = true } }

// Help is the flag's sentence, in place of the one that its option has.
func Help(text string) Option { return func(f *Flag) { f.Help = text } }

// Metavar names the value in the help.
func Metavar(name string) Option { return func(f *Flag) { f.Metavar = name } }

// Shown is the default in the help's words, where the value itself says too little.
func Shown(text string) Option { return func(f *Flag) { f.Default = text } }

// Later names values of a Choice that we know but don't do, and says why.
func Later(reason string, values ...string) Option {
	return func(f *Flag) { f.later, f.Refused = reason, values }
}

// Redact says how a value is shown where a command line is written down.
func Redact(how func(string) string) Option { return func(f *Flag) { f.redact = how } }

// New makes the set of one command. It has -h and --help already.
func New(name, summary string) *Set {
	s := &Set{
		ReadFile: os.ReadFile,
		name:     name, summary: summary, typed: name,
		byName:  map[string]spelling{},
		byShort: map[byte]*Flag{},
		seen:    map[*Flag]Source{},
		foreign: map[string]func([]string) Foreign{},
	}
	s.add(&Flag{
		Name: "help", Help: "Show this help.", Group: generalGroup, arity: NoValue, short: 'h',
		store: func([]string) error { return ErrHelp },
	}, nil)
	return s
}

// Config adds --config FILE: a YAML mapping of flag names to values.
func (s *Set) Config(opts ...Option) {
	s.String(&s.config, "config", "", "Read flags from a YAML file: a mapping of flag names to values. Flags on the command line win.",
		append([]Option{Metavar("FILE"), Group(generalGroup)}, opts...)...)
	s.configFlag = s.byName["config"].flag
}

// Operands lets the command take arguments that are not flags, between least and most of them.
func (s *Set) Operands(name string, least, most int) {
	s.operandName, s.minOperands, s.operandsN = name, least, most
}

// Args returns the arguments that are not flags.
func (s *Set) Args() []string { return s.operands }

// Example adds an example to the help.
func (s *Set) Example(text, command string) {
	s.examples = append(s.examples, Example{text, command})
}

// Flags returns the declared flags in the order of their declaration.
func (s *Set) Flags() []*Flag { return s.flags }

// Lookup returns the flag with this exact name (or alias, or letter behind a dash), or nil.
func (s *Set) Lookup(name string) *Flag {
	if len(name) == 2 && name[0] == '-' {
		return s.byShort[name[1]]
	}
	return s.byName[normalize(name)].flag
}

// Seen reports whether the flag was set, on the command line or in the config.
func (s *Set) Seen(name string) bool { return s.Source(name) != FromDefault }

// Source reports where the flag's value came from. The name must be a declared one.
func (s *Set) Source(name string) Source {
	f := s.Lookup(name)
	if f == nil {
		panic(fmt.Sprintf("argv: --%s is not declared", name))
	}
	return s.seen[f]
}

// Unsupported declares a flag that is known and refused. The reason is a sentence
// without its subject and full stop ("is not sent by this client; use --extra-body").
// One that is declared already, as by a dataset that came later, stays as it is.
func (s *Set) Unsupported(name string, arity Arity, reason string, opts ...Option) {
	if s.Lookup(name) != nil {
		return
	}
	s.add(&Flag{
		Name: name, arity: arity, Unsupported: reason,
		store: func([]string) error { return nil }, // nothing gets here
	}, opts)
}

// UnsupportedTriBool is Unsupported for a flag --x that has a --no-x beside it.
func (s *Set) UnsupportedTriBool(name, reason string, opts ...Option) {
	s.Unsupported(name, triValue, reason, opts...)
}

// add declares a flag. A name used twice is a mistake of the programmer.
func (s *Set) add(f *Flag, opts []Option) {
	for _, o := range opts {
		o(f)
	}
	if f.Group == "" {
		f.Group = "Flags"
	}
	if f.Takes == Unknown {
		f.Takes = takes(f.Metavar)
	}
	s.flags = append(s.flags, f)
	s.addGroup(f.Group)
	for i, name := range slices.Concat([]string{f.Name}, f.aliases, f.silent) {
		whole := f.whole || i > 0
		s.addName(name, spelling{flag: f, whole: whole})
		if f.arity == triValue {
			s.addName("no-"+name, spelling{flag: f, negated: true, whole: whole})
		}
	}
	if f.short != 0 {
		if s.byShort[f.short] != nil || f.short >= '0' && f.short <= '9' {
			panic(fmt.Sprintf("argv: -%c can't be declared", f.short))
		}
		s.byShort[f.short] = f
	}
}

func (s *Set) addName(name string, sp spelling) {
	if name != normalize(name) || strings.ContainsAny(name, ".= ") {
		panic(fmt.Sprintf("argv: --%s is not a good name", name))
	}
	if _, twice := s.byName[name]; twice {
		panic(fmt.Sprintf("argv: --%s is declared twice", name))
	}
	s.byName[name] = sp
}

func (s *Set) addGroup(name string) {
	for _, g := range s.groups {
		if g == name {
			return
		}
	}
	s.groups = append(s.groups, name)
}
