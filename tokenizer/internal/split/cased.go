package split

import (
	"sync"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// The patterns of GPT-4o and of Mistral's tekken, which cut words where the case changes.
const (
	patternO200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternTekken = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|` +
		`\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// The two classes of such a pattern, as bits: letters without a case and marks are in both.
const (
	upper = 1 << iota
	lower
)

func cases(r rune) uint8 {
	switch {
	case uni.Upper(r):
		return upper
	case uni.Lower(r):
		return lower
	case uni.Letter(r), uni.Mark(r):
		return upper | lower
	}
	return 0
}

var (
	asciiCases = func() (t [utf8.RuneSelf]uint8) {
		for r := range t {
			t[r] = cases(rune(r))
		}
		return t
	}()
	bmpCases = sync.OnceValue(func() *[1 << 16]uint8 {
		var t [1 << 16]uint8
		for r := range t {
			t[r] = cases(rune(r))
		}
		return &t
	})
)

// casesAt gives the classes and the length of the rune at i.
func casesAt(text string, i int) (uint8, int) {
	if i >= len(text) {
		return 0, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiCases[c], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if r < 1<<16 {
		return bmpCases()[r], n
	}
	return cases(r), n
}

func cased(maxDigits int, endings bool) Splitter {
	return func(text string, dst []Span) []Span {
		for i := 0; i < len(text); {
			j := casedPiece(text, i, maxDigits, endings)
			dst = append(dst, Span{i, j})
			i = j
		}
		return dst
	}
}

// casedPiece is where the piece that begins at i ends.
func casedPiece(text string, i, maxDigits int, endings bool) int {
	if j := casedWord(text, i); j > i {
		if endings && j < len(text) && text[j] == '\'' {
			if n := contraction(text[j+1:], true); n > 0 {
				return j + 1 + n
			}
		}
		return j
	}
	c, n := classAt(text, i)
	if c == number {
		j := i
		for d := 0; d < maxDigits && c == number; d++ {
			j += n
			c, n = classAt(text, j)
		}
		return j
	}
	marks := i
	if text[i] == ' ' {
		marks++
	}
	if j, _ := skip(text, marks, other); j > marks {
		for j < len(text) && (text[j] == '\r' || text[j] == '\n' || text[j] == '/') {
			j++
		}
		return j
	}
	j, lastNewline := spaces(text, i)
	if lastNewline > i {
		return lastNewline
	}
	return j
}

// casedWord is where a word that begins at i ends, or i: with one rune before its letters or without, first as one that
// ends in lower case, then as one that does not.
func casedWord(text string, i int) int {
	word := i
	if c, n := classAt(text, i); c == other || c == space {
		word += n
	}
	for _, start := range [2]int{word, i} {
		if j, ok := lowerEnd(text, start); ok {
			return j
		}
	}
	for _, start := range [2]int{word, i} {
		if j := upperRun(text, start); j > start {
			return j
		}
	}
	return i
}

// lowerEnd is upper* lower+ at i.
func lowerEnd(text string, i int) (int, bool) {
	both := -1 // after the last rune that is in both classes
	c, n := casesAt(text, i)
	for c&upper != 0 {
		i += n
		if c&lower != 0 {
			both = i
		}
		c, n = casesAt(text, i)
	}
	if c&lower == 0 {
		return both, both >= 0
	}
	for c&lower != 0 {
		i += n
		c, n = casesAt(text, i)
	}
	return i, true
}

// upperRun is upper+ at i; a lower case after it would have been found before.
func upperRun(text string, i int) int {
	c, n := casesAt(text, i)
	for c&upper != 0 {
		i += n
		c, n = casesAt(text, i)
	}
	return i
}
