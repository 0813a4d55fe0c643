package normal

import (
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// spaceMark stands for a space in SentencePiece's vocabularies.
const spaceMark = "▁"

// newSentencePiece is the normalizer of a SentencePiece .model: its table of characters, which the longest entry
// wins, then its rules for spaces. Pieces that a user has defined stay as they are.
func newSentencePiece(s *spec.Step) (Normalizer, error) {
	m, err := newCharsmap(s.Charsmap)
	if err != nil {
		return nil, err
	}
	defined := newPrefixes(s.UserDefined)
	return plain(func(text string) string { return sentencePiece(s, m, defined, text) }), nil
}

func sentencePiece(s *spec.Step, m *charsmap, defined *prefixes, text string) string {
	next := func(text string) (string, int) {
		if n := defined.match(text); n > 0 {
			return text[:n], n
		}
		if becomes, n := m.match(text, true); n > 0 {
			return becomes, n
		}
		_, n := utf8.DecodeRuneInString(text)
		return text[:n], n
	}
	if !s.ExtraSpaces {
		for text != "" { // no spaces before the first word
			becomes, n := next(text)
			if becomes != " " {
				break
			}
			text = text[n:]
		}
	}
	if text == "" {
		return ""
	}
	space := " "
	if s.EscapeSpaces {
		space = spaceMark
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4 + len(space))
	if s.DummyPrefix {
		b.WriteString(space)
	}
	afterSpace := !s.ExtraSpaces
	for text != "" {
		becomes, n := next(text)
		text = text[n:]
		for afterSpace && strings.HasPrefix(becomes, " ") {
			becomes = becomes[1:]
		}
		if becomes == "" {
			continue
		}
		b.WriteString(strings.ReplaceAll(becomes, " ", space))
		afterSpace = !s.ExtraSpaces && strings.HasSuffix(becomes, " ")
	}
	out := b.String()
	if !s.ExtraSpaces {
		for strings.HasSuffix(out, space) {
			out = out[:len(out)-len(space)]
		}
	}
	return out
}

// prefixes finds the longest of some texts at the start of another.
type prefixes struct {
	texts   map[string]bool
	lengths [256][]int // by first byte, longest first
}

func newPrefixes(texts []string) *prefixes {
	p := &prefixes{texts: map[string]bool{}}
	for _, text := range texts {
		if text == "" || p.texts[text] {
			continue
		}
		p.texts[text] = true
		p.lengths[text[0]] = insertLonger(p.lengths[text[0]], len(text))
	}
	return p
}

func insertLonger(lengths []int, n int) []int {
	at := 0
	for at < len(lengths) && lengths[at] > n {
		at++
	}
	if at < len(lengths) && lengths[at] == n {
		return lengths
	}
	lengths = append(lengths, 0)
	copy(lengths[at+1:], lengths[at:])
	lengths[at] = n
	return lengths
}

func (p *prefixes) match(text string) int {
	for _, n := range p.lengths[text[0]] {
		if n <= len(text) && p.texts[text[:n]] {
			return n
		}
	}
	return 0
}
