package normal

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
	"github.com/inferometer/inferometer/tokenizer/internal/uni"
)

// charsmap is SentencePiece's precompiled table of what becomes of which characters: a double-array trie whose
// leaves are places in a list of texts, each ended by a zero.
type charsmap struct {
	units []uint32
	texts string
}

func newCharsmap(blob []byte) (*charsmap, error) {
	m := &charsmap{}
	if len(blob) == 0 {
		return m, nil
	}
	if len(blob) < 4 {
		return m, errCharsmap
	}
	size := binary.LittleEndian.Uint32(blob)
	blob = blob[4:]
	if uint64(size) > uint64(len(blob)) || size%4 != 0 || size == 0 {
		return m, errCharsmap
	}
	m.units = make([]uint32, size/4)
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(blob[4*i:])
	}
	m.texts = string(blob[size:])
	return m, nil
}

var errCharsmap = errors.New("normalizer: precompiled_charsmap is broken")

// match finds what text begins with: the longest entry, or the shortest. n is its length, 0 where there is none.
func (m *charsmap) match(text string, longest bool) (becomes string, n int) {
	if len(m.units) == 0 {
		return "", 0
	}
	found := -1
	at := unitOffset(m.units[0])
	for i := 0; i < len(text) && text[i] != 0; i++ {
		at ^= uint32(text[i])
		if int(at) >= len(m.units) {
			break
		}
		unit := m.units[at]
		if unit&(1<<31|0xFF) != uint32(text[i]) {
			break
		}
		at ^= unitOffset(unit)
		if unit>>8&1 == 1 && int(at) < len(m.units) {
			found, n = int(m.units[at]&(1<<31-1)), i+1
			if !longest {
				break
			}
		}
	}
	if found < 0 || found > len(m.texts) {
		return "", 0
	}
	becomes, _, _ = strings.Cut(m.texts[found:], "\x00")
	if len(becomes) > maxContent {
		spec.GiveUp(errLongCharsmap)
	}
	return becomes, n
}

var errLongCharsmap = errors.New("normalizer: an entry of precompiled_charsmap is too long")

func unitOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// byGraphemes is Hugging Face's way: what the shortest entry says of a short grapheme is said of all of it.
func (m *charsmap) byGraphemes(text string) string {
	if len(m.units) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	for text != "" {
		n := grapheme(text)
		if n < 6 {
			if becomes, matched := m.match(text[:n], false); matched > 0 {
				b.WriteString(becomes)
				text = text[n:]
				continue
			}
		}
		for n > 0 {
			_, size := utf8.DecodeRuneInString(text)
			if becomes, matched := m.match(text[:size], false); matched > 0 {
				b.WriteString(becomes)
			} else {
				b.WriteString(text[:size])
			}
			text, n = text[size:], n-size
		}
	}
	return b.String()
}

// grapheme is the length of the first character as a reader sees it, marks included. Flags and families of
// emoji count as their parts here: they are longer than any entry that matters.
func grapheme(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	before, n := utf8.DecodeRuneInString(text)
	if breaks(before) {
		return n
	}
	for n < len(text) {
		if c := text[n]; c < utf8.RuneSelf {
			return n
		}
		r, size := utf8.DecodeRuneInString(text[n:])
		if !attaches(r) && !jamoJoin(before, r) {
			return n
		}
		before = r
		n += size
	}
	return n
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
