package split

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// newMetaspace marks spaces with a visible rune, and cuts before each of them.
func newMetaspace(s *spec.Step) (Step, error) {
	mark, scheme := s.Replacement, prependScheme(s)
	if mark == "" {
		return Step{}, errors.New("pre_tokenizer Metaspace: no replacement")
	}
	switch scheme {
	case "always", "first", "never":
	default:
		return Step{}, spec.Unsupported("pre_tokenizer", fmt.Sprintf("Metaspace with prepend_scheme %q", scheme))
	}
	step := Step{Prepare: func(text string, atStart bool) string {
		text = strings.ReplaceAll(text, " ", mark)
		if (scheme == "always" || scheme == "first" && atStart) && !strings.HasPrefix(text, mark) {
			text = mark + text
		}
		return text
	}}
	if spec.Or(s.Split, true) {
		step.Split = cutBefore(mark)
	}
	return step, nil
}

// prependScheme says which pieces get a mark in front; older files have a yes or no instead.
func prependScheme(s *spec.Step) string {
	switch {
	case s.PrependScheme != "":
		return s.PrependScheme
	case spec.Or(s.AddPrefixSpace, true):
		return "always"
	}
	return "never"
}

// cutBefore cuts before each mark.
func cutBefore(mark string) Splitter {
	return func(text string, dst []Span) []Span {
		from := 0
		for i := 0; i < len(text); {
			if text[i] != mark[0] || !strings.HasPrefix(text[i:], mark) {
				i++
				continue
			}
			if i > from {
				dst = append(dst, Span{from, i})
			}
			from = i
			i += len(mark)
		}
		if from < len(text) {
			dst = append(dst, Span{from, len(text)})
		}
		return dst
	}
}

// marksWords is whether two steps are those of T5's and XLM-R's files: cut at white space, then mark each word.
func marksWords(a, b *spec.Step) bool {
	r, n := utf8.DecodeRuneInString(b.Replacement)
	return a.Type == "WhitespaceSplit" && b.Type == "Metaspace" && prependScheme(b) == "always" && spec.Or(b.Split, true) &&
		n > 0 && n == len(b.Replacement) && r != utf8.RuneError && !unicode.IsSpace(r)
}

// markedWords is both in one: a text of its own for each word would take more time than all of the rest.
func markedWords(mark string) Step {
	prepare := func(text string, _ bool) string {
		var b strings.Builder
		b.Grow(len(text) + len(text)/4 + len(mark))
		for i := 0; i < len(text); {
			c, n := classAt(text, i)
			if c == space || c == newline {
				i += n
				continue
			}
			from := i
			for c != space && c != newline && c != end {
				i += n
				c, n = classAt(text, i)
			}
			if !strings.HasPrefix(text[from:], mark) {
				b.WriteString(mark)
			}
			b.WriteString(text[from:i])
		}
		return b.String()
	}
	return Step{Prepare: prepare, Split: cutBefore(mark)}
}
