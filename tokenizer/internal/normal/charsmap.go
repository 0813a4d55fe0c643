package normal

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// charsmap is SentencePiece's precompiled table of what becomes of which characters: a double-array trie whose
// leaves are places in a list of texts, each ended by a zero.
type charsmap struct {
	units []uint32
	texts string
	plain [utf8.RuneSelf]bool // bytes that stay as they are where another one follows, or nothing
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
	m.setPlain()
	return m, nil
}

// setPlain leaves out \r, which may be one character with the \n that follows.
func (m *charsmap) setPlain() {
	for c := range m.plain {
		_, n := m.match(string(rune(c)), false)
		m.plain[c] = n == 0 && c != '\r'
	}
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
