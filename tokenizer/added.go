package tokenizer

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

type addedToken = spec.AddedToken

// addedSet finds added tokens: the leftmost, and of those the longest. Some models have thousands,
// but few lengths among those that begin with the same byte, so a map with the lengths to try is
// quicker to build than a trie.
type addedSet struct {
	tokens  map[string]addedToken
	lengths [256][]int // by first byte, longest first
}

func (a *addedSet) add(t addedToken) {
	if t.Content == "" {
		return
	}
	if a.tokens == nil {
		a.tokens = map[string]addedToken{}
	}
	a.tokens[t.Content] = t
	lengths := &a.lengths[t.Content[0]]
	at, found := slices.BinarySearchFunc(*lengths, len(t.Content), func(have, want int) int { return want - have })
	if !found {
		*lengths = slices.Insert(*lengths, at, len(t.Content))
	}
}

// next finds the first added token in text at or after from: text[start:end] is the token with the
// space that it takes, but none of it before from.
func (a *addedSet) next(text string, from int) (start, end int, id int32, found bool) {
	if len(a.tokens) == 0 {
		return 0, 0, 0, false
	}
	for i := from; i < len(text); {
		t, ok := a.at(text, i)
		if !ok {
			i++
			continue
		}
		end := i + len(t.Content)
		if t.SingleWord && insideWord(text, i, end) {
			i = end
			continue
		}
		start := i
		if t.Lstrip {
			start = trimSpaceLeftOf(text, from, i)
		}
		if t.Rstrip {
			end = skipSpace(text, end)
		}
		return start, end, t.ID, true
	}
	return 0, 0, 0, false
}

func (a *addedSet) at(text string, i int) (addedToken, bool) {
	for _, n := range a.lengths[text[i]] {
		if i+n <= len(text) {
			if t, ok := a.tokens[text[i:i+n]]; ok {
				return t, true
			}
		}
	}
	return addedToken{}, false
}

func insideWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return start > 0 && isWord(before) || end < len(text) && isWord(after)
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func trimSpaceLeftOf(text string, from, end int) int {
	for end > from {
		r, n := utf8.DecodeLastRuneInString(text[from:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	return end
}

func skipSpace(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}
