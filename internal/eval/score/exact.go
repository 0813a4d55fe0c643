package score

import (
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/journal"
)

// exact is the metric exact_match: the answer is one of the right ones, after what does
// not count was left out of both. It is lm-eval's, with what NumPy does to texts in it.
type exact struct {
	ignored []*pattern
	score   *journal.Score
}

func newExact(s *journal.Score) (*exact, error) {
	ignored, err := compileAll(s.IgnorePatterns)
	if err != nil {
		return nil, err
	}
	return &exact{ignored, s}, nil
}

func (x *exact) right(answer string, right []string) (bool, error) {
	got, err := x.plain([]string{answer})
	if err != nil {
		return false, err
	}
	wanted, err := x.plain(right)
	if err != nil {
		return false, err
	}
	for _, w := range wanted {
		if w == got[0] {
			return true, nil
		}
	}
	return false, nil
}

const (
	punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	digits      = "0123456789"
)

func (x *exact) plain(texts []string) ([]string, error) {
	out := make([]string, len(texts))
	width := 1
	for i, text := range texts {
		var err error
		if out[i], err = removeAll(text, x.ignored); err != nil {
			return nil, err
		}
		// An array of NumPy pads texts with zeros and can't tell them from the text's own.
		out[i] = strings.TrimRight(out[i], "\x00")
		width = max(width, utf8.RuneCountInString(out[i]))
	}
	for i := range out {
		if x.score.IgnoreCase {
			out[i] = first(lower(out[i]), width) // the array's texts can't grow
		}
		if x.score.IgnorePunctuation {
			out[i] = without(out[i], punctuation)
		}
		if x.score.IgnoreNumbers {
			out[i] = without(out[i], digits)
		}
		out[i] = strings.TrimRight(out[i], "\x00")
	}
	return out, nil
}

// first is the first n characters of a text.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func without(s, cutset string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(cutset, c) {
			return -1
		}
		return c
	}, s)
}
