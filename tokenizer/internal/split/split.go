// Package split holds the pre-tokenizers: they cut a text into the pieces that are encoded apart.
package split

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// A Splitter cuts text into pieces. It appends them to dst in order.
type Splitter func(text string, dst []Span) []Span

// Span is text[From:To].
type Span struct{ From, To int }

// Step rewrites a piece, cuts it, or both, in that order.
type Step struct {
	Prepare func(text string, atStart bool) string // or nil; atStart: the piece begins the text
	Split   Splitter                               // or nil
	Match   matchFinder                            // or nil: a Split by a pattern of the file
}

// Cut appends the pieces of a text to dst; false: the step cuts nothing.
func (s *Step) Cut(text string, dst []Span, budget *spec.Budget) ([]Span, bool) {
	switch {
	case s.Match != nil:
		return s.Match(text, dst, budget), true
	case s.Split != nil:
		return s.Split(text, dst), true
	}
	return dst, false
}

// Pretokenizer is the pre_tokenizer section: each step is applied to the pieces of the one before.
type Pretokenizer struct {
	Steps     []Step
	ByteLevel bool // the vocabulary spells bytes, and the pieces are not spelled yet
}

// New builds the pre_tokenizer section.
func New(s *spec.Step) (*Pretokenizer, error) {
	p := &Pretokenizer{}
	if s == nil {
		return p, nil
	}
	steps, err := flat(s)
	for i := 0; i < len(steps); i++ {
		if i+1 < len(steps) && marksWords(&steps[i], &steps[i+1]) {
			i++
			p.Steps = append(p.Steps, markedWords(steps[i].Replacement))
			continue
		}
		if err := p.add(&steps[i], i == len(steps)-1); err != nil {
			return p, err
		}
	}
	return p, err
}

// flat opens sequences.
func flat(s *spec.Step) ([]spec.Step, error) {
	if s.Type == "Sequence" {
		return spec.Flatten(s.Pretokenizers, flat)
	}
	return []spec.Step{*s}, nil
}

func (p *Pretokenizer) add(s *spec.Step, last bool) error {
	var (
		step Step
		err  error
	)
	switch s.Type {
	case "ByteLevel":
		p.addByteLevel(s, last)
		return nil
	case "Metaspace":
		step, err = newMetaspace(s)
	case "Digits":
		step.Split = digitSplitter(s.IndividualDigits)
	case "Split":
		step, err = newSplit(s)
	case "Whitespace":
		step.Split = splitWords
	case "WhitespaceSplit":
		step.Split = removed.splitter(findRune(unicode.IsSpace), false)
	case "BertPreTokenizer":
		step.Split = splitBert
	case "Punctuation":
		step.Split, err = newPunctuation(s)
	case "CharDelimiterSplit":
		r, n := utf8.DecodeRuneInString(s.Delimiter)
		if n == 0 || n != len(s.Delimiter) || r == utf8.RuneError {
			return errors.New("pre_tokenizer CharDelimiterSplit: its delimiter is not one character")
		}
		step.Split = removed.splitter(findString(s.Delimiter), false)
	case "FixedLength":
		if s.Length <= 0 {
			return errors.New("pre_tokenizer FixedLength: no length")
		}
		step.Split = func(text string, dst []Span) []Span { return splitLength(text, dst, s.Length) }
	default:
		return spec.Unsupported("pre_tokenizer", s.Type)
	}
	p.Steps = append(p.Steps, step)
	return err
}

// addByteLevel spells bytes. If it is the last step, the model does that, which is quicker.
func (p *Pretokenizer) addByteLevel(s *spec.Step, last bool) {
	var step Step
	if spec.Or(s.AddPrefixSpace, true) {
		step.Prepare = func(text string, _ bool) string {
			if strings.HasPrefix(text, " ") {
				return text
			}
			return " " + text
		}
	}
	if spec.Or(s.UseRegex, true) {
		step.Split = splitGPT2
	}
	if step.Prepare != nil || step.Split != nil {
		p.Steps = append(p.Steps, step)
	}
	if last {
		p.ByteLevel = true
		return
	}
	p.Steps = append(p.Steps, Step{Prepare: func(text string, _ bool) string {
		return string(bytelevel.AppendSpelling(nil, text))
	}})
}

func newSplit(s *spec.Step) (Step, error) {
	how, ok := behaviours[s.Behavior]
	if !ok {
		return Step{}, spec.Unsupported("pre_tokenizer", fmt.Sprintf("Split with behavior %q", s.Behavior))
	}
	if s.Pattern == (spec.Pattern{}) {
		return Step{}, errors.New("pre_tokenizer Split: no pattern")
	}
	if s.Pattern.String != "" {
		return Step{Split: how.splitter(findString(s.Pattern.String), s.Invert)}, nil
	}
	// A pattern that matches all of any text gives its matches in both of these ways.
	if how == isolated || how == removed && s.Invert {
		if fast, ok := knownSplitters[s.Pattern.Regex]; ok {
			return Step{Split: fast}, nil
		}
	}
	if match, ok := knownMatchers[s.Pattern.Regex]; ok && how == isolated {
		return Step{Split: isolate(match)}, nil
	}
	re, err := Compile(s.Pattern.Regex)
	if err != nil {
		return Step{}, err
	}
	find := findRegexp(re)
	return Step{Match: func(text string, dst []Span, budget *spec.Budget) []Span {
		return how.cut(text, dst, find(text, nil, budget), s.Invert)
	}}, nil
}

func newPunctuation(s *spec.Step) (Splitter, error) {
	how, ok := behaviours[s.Behavior]
	if s.Behavior == "" {
		how, ok = isolated, true
	}
	if !ok {
		return nil, spec.Unsupported("pre_tokenizer", fmt.Sprintf("Punctuation with behavior %q", s.Behavior))
	}
	return how.splitter(findRune(uni.Punctuation), false), nil
}
