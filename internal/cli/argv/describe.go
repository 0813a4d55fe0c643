package argv

import (
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// What is declared, for those who read it without parsing anything: completion, man pages, help.

// Takes is what a value or an operand is, for a shell that completes it.
type Takes int

// What there is to complete.
const (
	Unknown  Takes = iota // as its metavar says
	Word                  // nothing that lies on this machine
	File                  // any file
	Folder                // any folder
	Run                   // a run's folder, or a result
	Scenario              // a YAML file
)

// Complete says what a value is, where its metavar does not: FILE, PATH and DIR do.
func Complete(what Takes) Option { return func(f *Flag) { f.Takes = what } }

// Among names values that a shell may offer. Others are taken too.
func Among(words ...string) Option { return func(f *Flag) { f.Choices = words } }

// metavars say what is completed, by a word that is part of them.
var metavars = []struct {
	part  string
	takes Takes
}{{"FILE", File}, {"PATH", File}, {"DIR", Folder}, {"FOLDER", Folder}}

// takes is what a metavar says. A URL's path is told apart by [Complete].
func takes(metavar string) Takes {
	for _, m := range metavars {
		for word := range strings.FieldsFuncSeq(metavar, func(r rune) bool { return strings.ContainsRune("|,…=:/", r) }) {
			if strings.HasSuffix(word, m.part) {
				return m.takes
			}
		}
	}
	return Word
}

// Name is the command's, with the program's.
func (s *Set) Name() string { return s.name }

// Summary is what the command does.
func (s *Set) Summary() string { return s.summary }

// Example is a command with a sentence about it.
type Example struct{ Text, Command string }

// Examples are those of the help.
func (s *Set) Examples() []Example { return s.examples }

// OperandName is what the help calls the arguments that are not flags; empty: there are none.
func (s *Set) OperandName() string {
	if s.operandsN == 0 {
		return ""
	}
	return s.operandName
}

// CompleteOperands says what the operands are, one by one; the last is also what follows it.
func (s *Set) CompleteOperands(what ...Takes) { s.operandTakes = what }

// OperandTakes is what the n-th operand is, counted from 0.
func (s *Set) OperandTakes(n int) Takes {
	if n >= s.operandsN || len(s.operandTakes) == 0 {
		return Word
	}
	return s.operandTakes[min(n, len(s.operandTakes)-1)]
}

// Groups are the headings of the help in its order.
func (s *Set) Groups() []string {
	var groups []string
	for _, g := range s.groups {
		if g != generalGroup {
			groups = append(groups, g)
		}
	}
	return append(groups, generalGroup)
}

// Listed says that the flag stands in the help: it is neither hidden nor refused.
func (f *Flag) Listed() bool { return !f.Hidden && f.Unsupported == "" }

// Spellings are the ways to write the flag, dashes included.
func (f *Flag) Spellings() []string {
	var names []string
	if f.short != 0 {
		names = append(names, "-"+string(rune(f.short)))
	}
	for _, name := range append([]string{f.Name}, f.aliases...) {
		names = append(names, "--"+name)
		if f.arity == triValue {
			names = append(names, "--no-"+name)
		}
	}
	return names
}

// Value names what follows the flag; empty: nothing does.
func (f *Flag) Value() string {
	switch f.arity {
	case OneValue:
		return f.Metavar
	case ZeroOrMore, OneOrMore:
		return f.Metavar + "…"
	}
	return ""
}

// Type is what a flag's value is, for whoever gives it from another language.
type Type int

// The types of values.
const (
	TypeText Type = iota
	TypeOwn       // text that the command reads itself: a word, a number, or JSON
	TypeSwitch
	TypeTwoWay // a switch with --no- beside it
	TypeInt
	TypeFloat
	TypeDuration
	TypeChoice  // one of Choices
	TypeWords   // several words
	TypePairs   // several words of a key and a value, with Separator between them
	TypeJSON    // JSON as text
	TypeCSV     // words with commas between them
	TypeNumbers // numbers with commas between them
)

// optionTypes are the types of options that describe themselves.
var optionTypes = map[option.Kind]Type{option.Int: TypeInt, option.Float: TypeFloat, option.Duration: TypeDuration, option.Custom: TypeOwn, option.Words: TypeCSV, option.Numbers: TypeNumbers, option.JSON: TypeJSON, option.Several: TypeOwn}

// Type is the type of the flag's value.
func (f *Flag) Type() Type {
	switch f.arity {
	case NoValue:
		return TypeSwitch
	case triValue:
		return TypeTwoWay
	}
	return f.value
}

// Separator is what stands between key and value of a flag of pairs.
func (f *Flag) Separator() string { return f.pairSep }

// Commas says that the value is words with commas between them.
func (f *Flag) Commas() bool { return f.shape == csvShape }

// Pending says which flag the word after these is a value of, or else how many operands
// there are before it; flags is false where no flag can come any more.
func (s *Set) Pending(words []string) (f *Flag, operands int, flags bool) {
	for i := 0; i < len(words); {
		if words[i] == "--" {
			return nil, operands + len(words) - i - 1, false
		}
		t := s.classify(words[i])
		i++
		f := t.spelling.flag
		switch {
		case !t.isFlag:
			operands++
		case f == nil, t.hasValue, f.arity == NoValue, f.arity == triValue:
		default:
			most := len(words)
			if f.arity == OneValue {
				most = min(most, i+1)
			}
			for i < most && words[i] != "--" && !s.classify(words[i]).isFlag {
				i++
			}
			if i == len(words) && (f.arity != OneValue || words[i-1] == t.name) {
				return f, operands, true
			}
		}
	}
	return nil, operands, true
}

// Resolve is the flag that a name means, dashes included, cut short or not; nil: none, or several.
func (s *Set) Resolve(name string) *Flag { return s.classify(name).spelling.flag }

// Common marks a flag that people use: it stands in the short help, and first where a shell
// completes.
func Common() Option { return func(f *Flag) { f.Common = true } }

// Seldom takes a flag out of the short help whose option is common elsewhere.
func Seldom() Option { return func(f *Flag) { f.Common = false } }

// CommonGroup is Group for flags of which all are common.
func CommonGroup(name string) Option { return func(f *Flag) { f.Group, f.Common = name, true } }

// OfferOperands names operands that a shell may offer.
func (s *Set) OfferOperands(words ...string) { s.operandChoices = words }

// OperandChoices are what OfferOperands named.
func (s *Set) OperandChoices() []string { return s.operandChoices }
