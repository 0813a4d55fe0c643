package normal

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// byGraphemes is Hugging Face's way: what the shortest entry says of a short grapheme is said of all of it.
func (m *charsmap) byGraphemes(text string) string {
	if len(m.units) == 0 {
		return text
	}
	var b strings.Builder
	kept := 0 // text before it is written
	become := func(from, to int, becomes string) {
		if b.Cap() == 0 {
			b.Grow(len(text) + 8)
		}
		b.WriteString(text[kept:from])
		b.WriteString(becomes)
		kept = to
	}
	for i := m.plainEnd(text, 0); i < len(text); i = m.plainEnd(text, i) {
		n := grapheme(text[i:])
		if n < 6 {
			if becomes, matched := m.match(text[i:i+n], false); matched > 0 {
				become(i, i+n, becomes)
				i += n
				continue
			}
		}
		for end := i + n; i < end; {
			_, size := utf8.DecodeRuneInString(text[i:])
			if size < n { // else it is the whole grapheme
				if becomes, matched := m.match(text[i:i+size], false); matched > 0 {
					become(i, i+size, becomes)
				}
			}
			i += size
		}
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// plainEnd is the end of the plain bytes at i. One before a rune that may attach to it is not among them.
func (m *charsmap) plainEnd(text string, i int) int {
	for i < len(text) && text[i] < utf8.RuneSelf && m.plain[text[i]] && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
		i++
	}
	return i
}

// grapheme is the length of the first character as a reader sees it, marks included. Flags and families of
// emoji count as their parts here: they are longer than any entry that matters.
func grapheme(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	before, n := utf8.DecodeRuneInString(text)
	if joinsOf(before)&joinsNothing != 0 {
		return n
	}
	for n < len(text) {
		if c := text[n]; c < utf8.RuneSelf {
			return n
		}
		r, size := utf8.DecodeRuneInString(text[n:])
		how := joinsOf(r)
		if how&joinsAny == 0 && (how&joinsJamo == 0 || !jamoJoin(before, r)) {
			return n
		}
		before = r
		n += size
	}
	return n
}

// How a rune joins its neighbours, as bits.
const (
	joinsNothing = 1 << iota // nothing attaches to it
	joinsAny                 // it attaches to any rune before it
	joinsJamo                // it may attach to a part of a Korean syllable
)

func joins(r rune) (how uint8) {
	if breaks(r) {
		how |= joinsNothing
	}
	if attaches(r) {
		how |= joinsAny
	}
	if r >= 0x1100 && r <= 0x11FF || r >= 0xA960 && r <= 0xA97C || r >= 0xAC00 && r <= 0xD7FB {
		how |= joinsJamo
	}
	return how
}

// bmpJoins are joins' answers, made when they are first needed.
var bmpJoins = sync.OnceValue(func() *[1 << 16]uint8 {
	var t [1 << 16]uint8
	for r := range t {
		t[r] = joins(rune(r))
	}
	return &t
})

func joinsOf(r rune) uint8 {
	if r < 1<<16 {
		return bmpJoins()[r]
	}
	return joins(r)
}

func breaks(r rune) bool {
	if r == 0x200C || r == 0x200D || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cc, unicode.Cf)
}

// attaches is whether a rune belongs to the character before it.
func attaches(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200D, r == 0x0E33, r == 0x0EB3, r >= 0x1F3FB && r <= 0x1F3FF:
		return true
	case unicode.Is(unicode.Other_Grapheme_Extend, r):
		return true
	}
	return uni.Mark(r) && !apart(r)
}

// apart are the spacing marks that do not attach.
func apart(r rune) bool {
	switch {
	case r == 0x102B, r == 0x102C, r == 0x1038, r >= 0x1062 && r <= 0x1064, r >= 0x1067 && r <= 0x106D, r == 0x1083,
		r >= 0x1087 && r <= 0x108C, r == 0x108F, r >= 0x109A && r <= 0x109C, r == 0x1A61, r == 0x1A63, r == 0x1A64,
		r == 0xAA7B, r == 0xAA7D, r == 0x11720, r == 0x11721:
		return true
	}
	return false
}

// jamoJoin is whether two parts of a Korean syllable belong together.
func jamoJoin(before, r rune) bool {
	leading := func(r rune) bool { return r >= 0x1100 && r <= 0x115F || r >= 0xA960 && r <= 0xA97C }
	vowel := func(r rune) bool { return r >= 0x1160 && r <= 0x11A7 || r >= 0xD7B0 && r <= 0xD7C6 }
	trailing := func(r rune) bool { return r >= 0x11A8 && r <= 0x11FF || r >= 0xD7CB && r <= 0xD7FB }
	syllable := func(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }
	open := syllable(before) && (before-0xAC00)%28 == 0
	switch {
	case leading(before):
		return leading(r) || vowel(r) || syllable(r)
	case open || vowel(before):
		return vowel(r) || trailing(r)
	case syllable(before) || trailing(before):
		return trailing(r)
	}
	return false
}
