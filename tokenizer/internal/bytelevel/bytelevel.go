// Package bytelevel spells bytes as text, and makes text of bytes.
package bytelevel

import (
	"strings"
	"unicode/utf8"
)

// Byte-level vocabularies spell every byte as one printable rune, so that a token's name is text
// even where its bytes are half of a rune. Printable bytes stand for themselves; the others, in
// order, for the runes from U+0100 on.
const byteRunes = 256 + 68 // runes above this one are no byte

var (
	// Rune is the rune that spells a byte.
	Rune       = byteAlphabet()
	runeToByte = inverted(Rune)
)

func byteAlphabet() (runes [256]rune) {
	next := rune(256)
	for b := range runes {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			runes[b] = rune(b)
		} else {
			runes[b] = next
			next++
		}
	}
	return runes
}

func inverted(runes [256]rune) (back [byteRunes]int16) {
	for r := range back {
		back[r] = -1
	}
	for b, r := range runes {
		back[r] = int16(b)
	}
	return back
}

// AppendSpelling adds the byte-level spelling of text.
func AppendSpelling(dst []byte, text string) []byte {
	for i := range len(text) {
		dst = utf8.AppendRune(dst, Rune[text[i]])
	}
	return dst
}

// AppendBytes adds the bytes that a byte-level name spells. A name with a foreign rune, such as an
// added token with a space in it, stands for itself.
func AppendBytes(dst []byte, name string) []byte {
	start := len(dst)
	for _, r := range name {
		if r >= byteRunes || runeToByte[r] < 0 {
			return append(dst[:start], name...)
		}
		dst = append(dst, byte(runeToByte[r]))
	}
	return dst
}

// Lossy is the text of bytes that may end or break inside a rune: each longest run of bytes that
// could have begun a rune becomes one U+FFFD. That is the Unicode standard's recommendation and what
// Hugging Face gives; Go's own conversion gives one for each byte.
func Lossy(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var text strings.Builder
	text.Grow(len(b) + len(b)/8)
	from := 0 // of the good bytes that are not in text yet
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			text.Write(b[from:i])
			text.WriteRune(utf8.RuneError)
			i += brokenRune(b[i:])
			from = i
			continue
		}
		i += n
	}
	text.Write(b[from:])
	return text.String()
}

// brokenRune is the length of the longest beginning of b that is a beginning of some rune, at least 1.
func brokenRune(b []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c >= 0xE0 && c <= 0xEF:
		more = 2
	case c >= 0xF0 && c <= 0xF4:
		more = 3
	}
	switch b[0] { // the second byte may not make an overlong form, a surrogate or a rune above U+10FFFF
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n <= more && n < len(b) && b[n] >= low && b[n] <= high {
		low, high = 0x80, 0xBF
		n++
	}
	return n
}
