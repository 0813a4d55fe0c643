package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// A splitter cuts text into the pieces that are encoded apart. It appends them to dst in order.
type splitter func(text string, dst []span) []span

// span is text[from:to].
type span struct{ from, to int }

// pretokenizer is the pre_tokenizer section: prepare rewrites the whole text, then each splitter cuts
// the pieces of the one before.
type pretokenizer struct {
	prepare   func(text string, atStart bool) string
	splitters []splitter
	byteLevel bool // the vocabulary spells bytes, see bytelevel.go
}

func newPretokenizer(s *step) (pretokenizer, error) {
	var p pretokenizer
	if s == nil {
		return p, nil
	}
	steps, err := pretokenizerSteps(s)
	for i := range steps {
		if err := p.add(&steps[i], i == 0); err != nil {
			return p, err
		}
	}
	return p, err
}

// pretokenizerSteps opens sequences.
func pretokenizerSteps(s *step) ([]step, error) {
	if s.Type == "Sequence" {
		return flatten(s.Pretokenizers, pretokenizerSteps)
	}
	return []step{*s}, nil
}

func (p *pretokenizer) add(s *step, first bool) error {
	var (
		split splitter
		err   error
	)
	switch s.Type {
	case "ByteLevel":
		return p.addByteLevel(s, first)
	case "Metaspace":
		return p.addMetaspace(s, first)
	case "Digits":
		split = digitSplitter(s.IndividualDigits)
	case "Split":
		split, err = newSplit(s)
	default:
		return unsupported("pre_tokenizer", s.Type)
	}
	p.splitters = append(p.splitters, split)
	return err
}

func (p *pretokenizer) addByteLevel(s *step, first bool) error {
	p.byteLevel = true
	if s.AddPrefixSpace == nil || *s.AddPrefixSpace {
		if !first {
			return unsupported("pre_tokenizer", "ByteLevel with add_prefix_space after another step")
		}
		p.prepare = func(text string, _ bool) string {
			if strings.HasPrefix(text, " ") {
				return text
			}
			return " " + text
		}
	}
	if s.UseRegex == nil || *s.UseRegex {
		p.splitters = append(p.splitters, splitGPT2)
	}
	return nil
}

// addMetaspace marks spaces with a visible rune, and cuts before each of them.
func (p *pretokenizer) addMetaspace(s *step, first bool) error {
	if !first {
		return unsupported("pre_tokenizer", "Metaspace after another step")
	}
	mark, scheme := s.Replacement, s.PrependScheme
	if mark == "" {
		return errors.New("pre_tokenizer Metaspace: no replacement")
	}
	if scheme == "" {
		scheme = "always"
		if s.AddPrefixSpace != nil && !*s.AddPrefixSpace {
			scheme = "never"
		}
	}
	p.prepare = func(text string, atStart bool) string {
		text = strings.ReplaceAll(text, " ", mark)
		if (scheme == "always" || scheme == "first" && atStart) && !strings.HasPrefix(text, mark) {
			text = mark + text
		}
		return text
	}
	if s.Split == nil || *s.Split {
		p.splitters = append(p.splitters, mergedWithNext.splitter(findString(mark), false))
	}
	return nil
}

func newSplit(s *step) (splitter, error) {
	how, ok := behaviours[s.Behavior]
	if !ok {
		return nil, unsupported("pre_tokenizer", fmt.Sprintf("Split with behavior %q", s.Behavior))
	}
	if s.Pattern == (pattern{}) {
		return nil, errors.New("pre_tokenizer Split: no pattern")
	}
	if s.Pattern.String != "" {
		return how.splitter(findString(s.Pattern.String), s.Invert), nil
	}
	// A pattern that matches all of any text gives its matches in both of these ways.
	if how == isolated || how == removed && s.Invert {
		if fast, ok := knownSplitters[s.Pattern.Regex]; ok {
			return fast, nil
		}
	}
	re, err := compile(s.Pattern.Regex)
	if err != nil {
		return nil, err
	}
	return how.splitter(findRegexp(re), s.Invert), nil
}

// compile compiles a pattern of the Oniguruma dialect that tokenizer.json files are written in.
func compile(pattern string) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(pattern, regexp2.Unicode)
	if err != nil {
		return nil, limitation{fmt.Errorf("pattern %q: %w", pattern, err)}
	}
	re.MatchTimeout = matchTimeout
	return re, nil
}

// matchTimeout bounds one match. A pattern may take time that is exponential in the
// length of the text; those of real files take microseconds.
const matchTimeout = 2 * time.Second

// A finder appends the matches of a pattern in text: in order, not empty, apart.
type finder func(text string, dst []span) []span

// findString finds a text that is not empty.
func findString(pattern string) finder {
	return func(text string, dst []span) []span {
		for from := 0; ; {
			i := strings.Index(text[from:], pattern)
			if i < 0 {
				return dst
			}
			dst = append(dst, span{from + i, from + i + len(pattern)})
			from += i + len(pattern)
		}
	}
}

func findRegexp(re *regexp2.Regexp) finder {
	return func(text string, dst []span) []span {
		runes := []rune(text) // regexp2 counts in runes
		at, offset := 0, 0
		advance := func(to int) int {
			for ; at < to; at++ {
				offset += utf8.RuneLen(runes[at])
			}
			return offset
		}
		m, err := re.FindRunesMatch(runes)
		for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
			if m.RuneLength > 0 {
				dst = append(dst, span{advance(m.RuneIndex), advance(m.RuneIndex + m.RuneLength)})
			}
		}
		giveUp(err)
		return dst
	}
}

// digitSplitter sets numbers apart: runs of them, or each alone.
func digitSplitter(each bool) splitter {
	return func(text string, dst []span) []span {
		from, before := 0, false
		for i, r := range text {
			number := unicode.IsNumber(r)
			if i > from && (number != before || number && each) {
				dst = append(dst, span{from, i})
				from = i
			}
			before = number
		}
		if from < len(text) {
			dst = append(dst, span{from, len(text)})
		}
		return dst
	}
}
