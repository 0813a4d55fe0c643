// Package uni says what a code point is as the libraries under Hugging Face's tokenizers see it. Each of them has
// tables of its own version of Unicode, newer or older than Go's; a letter that one table lacks is another token.
package uni

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

type span struct{ from, to rune }

// table reads spans such as 1c89-1c8a when they are first needed.
func table(text string) func() []span {
	return sync.OnceValue(func() []span {
		var spans []span
		for _, word := range strings.Fields(text) {
			from, to, _ := strings.Cut(word, "-")
			spans = append(spans, span{point(from), point(to)})
		}
		return spans
	})
}

func point(hex string) rune {
	r, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		panic(err)
	}
	return rune(r)
}

func in(spans func() []span, r rune) bool {
	if spans == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(spans(), r, func(s span, r rune) int {
		switch {
		case s.to < r:
			return -1
		case s.from > r:
			return 1
		}
		return 0
	})
	return found
}

// Letter is \p{L} of a pattern.
func Letter(r rune) bool { return unicode.IsLetter(r) || in(newer["L"], r) }

// Number is \p{N} of a pattern.
func Number(r rune) bool { return unicode.IsNumber(r) || in(newer["N"], r) }

// Mark is \p{M} of a pattern.
func Mark(r rune) bool { return unicode.IsMark(r) || in(newer["M"], r) }

// Upper is \p{Lu} or \p{Lt} of a pattern.
func Upper(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Lt) || in(newer["Lu"], r) }

// Lower is \p{Ll} of a pattern.
func Lower(r rune) bool { return unicode.Is(unicode.Ll, r) || in(newer["Ll"], r) }

// Punct is \p{P} of a pattern.
func Punct(r rune) bool { return unicode.IsPunct(r) || in(newer["P"], r) }

// Symbol is \p{S} of a pattern.
func Symbol(r rune) bool { return unicode.IsSymbol(r) || in(newer["S"], r) }

// Numeric is a number for the pre-tokenizer Digits.
func Numeric(r rune) bool { return unicode.IsNumber(r) || in(newerNumbers, r) }

// Word is \w for the pre-tokenizer Whitespace.
func Word(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc) || in(newerWord, r)
}

// Punctuation is that of the pre-tokenizers Punctuation and BertPreTokenizer.
func Punctuation(r rune) bool { return in(punctuation, r) }

// Combining is a mark that StripAccents takes away.
func Combining(r rune) bool { return in(marks, r) }

// BertCombining is a mark that BertNormalizer takes away.
func BertCombining(r rune) bool { return in(bertMarks, r) }

// BertControl is what BertNormalizer cleans away.
func BertControl(r rune) bool { return in(bertRemoved, r) }

// Inert is a code point that is newer than the normal forms' tables, so that they leave it alone.
func Inert(r rune) bool {
	return r < inertEnd && inertPoints()[r/64]&(1<<(r%64)) != 0
}

// inertEnd is above all code points that a normal form changes, but for ideographs of old.
const inertEnd = 0x20000

var inertPoints = sync.OnceValue(func() *[inertEnd / 64]uint64 {
	var bits [inertEnd / 64]uint64
	for r := rune(utf8.RuneSelf); r < inertEnd; r++ {
		if decomposes(r) && !in(decomposable, r) || unicode.IsMark(r) && !in(marks, r) {
			bits[r/64] |= 1 << (r % 64)
		}
	}
	return &bits
})

// ToLower gives the lower case of each code point by itself: no final sigma.
func ToLower(text string) string {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf && (text[i] < 'A' || text[i] > 'Z') {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	for _, r := range text {
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
		} else if special, ok := lower[r]; ok {
			b.WriteString(special)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// Newer is what a property such as L has beyond Go's tables, as the inside of a character class.
func Newer(property string) string {
	var b strings.Builder
	spans := newer[property]
	if spans == nil {
		return ""
	}
	for _, s := range spans() {
		b.WriteRune(s.from)
		b.WriteByte('-')
		b.WriteRune(s.to)
	}
	return b.String()
}
