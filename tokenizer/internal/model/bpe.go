package model

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// bpe joins the smallest tokens of a piece of text by the merges it has learned, the lowest rank first.
type bpe struct {
	vocab        map[string]int32
	merges       pairMap
	byteLevel    bool       // names spell bytes
	bytes        [256]int32 // byte-level: the token of each byte, or -1
	bytePairs    *bytePairs // byte-level, where every byte has a token; else nil
	fallback     [256]int32 // the tokens <0x00>…<0xFF>, or -1
	byteFallback bool       // a rune without a token becomes the tokens of its bytes
	ignoreMerges bool       // a piece that is a token is that token, whatever the merges give
	fuseUnknown  bool       // neighbouring unknown runes are one token
	unknown      int32      // or -1
	needsUnknown bool       // the file names an unknown token, which it does not have
	prefix       string     // of a rune that is not the first of its piece
	suffix       string     // of the last one
	outside      map[int32]bool
	runes        []int32 // by rune, below 1<<16: its token, or -1; nil where runes have affixes
}

func newBPE(m *spec.Model, byteLevel bool) *bpe {
	b := &bpe{
		vocab: m.Vocab.IDs, merges: newPairMap(len(m.Merges)), byteLevel: byteLevel,
		byteFallback: m.ByteFallback, ignoreMerges: m.IgnoreMerges, fuseUnknown: m.FuseUnk, unknown: unknownID(m),
		prefix: m.Prefix, suffix: m.Suffix, outside: m.Outside,
	}
	b.needsUnknown = m.UnkToken != nil && b.unknown < 0
	for _, to := range m.Merges {
		b.merges.put(to.Left, to.Right, merge{to.Rank, to.ID})
	}
	b.fallback = fallbackTokens(&m.Vocab)
	if !byteLevel && b.prefix+b.suffix == "" {
		b.setRunes()
	}
	for i := range 256 {
		b.bytes[i] = m.Vocab.ID(string(bytelevel.Rune[i]))
	}
	if byteLevel && b.prefix+b.suffix == "" && slices.Min(b.bytes[:]) >= 0 {
		b.bytePairs = new(bytePairs)
	}
	return b
}

// setRunes fills the table of single runes, which are what encoding asks for most.
func (b *bpe) setRunes() {
	b.runes = make([]int32, 1<<16)
	for i := range b.runes {
		b.runes[i] = -1
	}
	for name, id := range b.vocab {
		if r, n := utf8.DecodeRuneInString(name); n == len(name) && n > 0 && int(r) < len(b.runes) && (r != utf8.RuneError || n > 1) && !b.outside[id] {
			b.runes[r] = id
		}
	}
}

// single is the token of one rune with its affixes, or -1.
func (b *bpe) single(r rune, char string) int32 {
	if int(r) < len(b.runes) {
		return b.runes[r]
	}
	if id, ok := b.vocab[char]; ok && !b.outside[id] {
		return id
	}
	return -1
}

// fallbackTokens are the tokens <0x00>…<0xFF>, or -1.
func fallbackTokens(v *spec.Vocabulary) (ids [256]int32) {
	for i := range ids {
		ids[i] = v.ID(fmt.Sprintf("<0x%02X>", i))
	}
	return ids
}

// Encode appends the tokens of a piece.
func (b *bpe) Encode(w *Worker, piece string, dst []int32) []int32 {
	if piece == "" {
		return dst
	}
	if ids, ok := w.cache.get(piece); ok {
		return append(dst, ids...)
	}
	start := len(dst)
	if id, ok := b.whole(w, piece); ok {
		dst = append(dst, id)
	} else {
		b.spell(w, piece)
		dst = append(dst, w.merge(&b.merges)...)
	}
	w.cache.put(piece, dst[start:])
	return dst
}

// spell sets the worker's symbols to the smallest tokens of a piece, and its pairs to theirs.
func (b *bpe) spell(w *Worker, piece string) {
	w.symbols, w.pairs = w.symbols[:0], w.pairs[:0]
	if b.bytePairs != nil {
		w.symbols = append(w.symbols, b.bytes[piece[0]])
		for i := 1; i < len(piece); i++ {
			w.symbols = append(w.symbols, b.bytes[piece[i]])
			w.pairs = append(w.pairs, b.bytePairs.get(b, piece[i-1], piece[i]))
		}
		return
	}
	if b.byteLevel {
		w.spelling = bytelevel.AppendSpelling(w.spelling[:0], piece)
		piece = string(w.spelling)
	}
	w.symbols = b.fromRunes(w.symbols, piece)
	for i := 1; i < len(w.symbols); i++ {
		w.pairs = append(w.pairs, b.merges.get(w.symbols[i-1], w.symbols[i]))
	}
}

// whole is the token that a piece is without any merge.
func (b *bpe) whole(w *Worker, piece string) (int32, bool) {
	if !b.ignoreMerges {
		return 0, false
	}
	if !b.byteLevel {
		id, ok := b.vocab[piece]
		return id, ok
	}
	w.spelling = bytelevel.AppendSpelling(w.spelling[:0], piece)
	id, ok := b.vocab[string(w.spelling)]
	return id, ok
}

// fromRunes appends the smallest tokens of a piece. An unknown one is held back until a known one comes, as in the
// reference: bytes that come between go before it.
func (b *bpe) fromRunes(dst []int32, piece string) []int32 {
	held := false
	for i, n := 0, 0; i < len(piece); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(piece[i:])
		char := piece[i : i+n]
		if b.prefix != "" && i > 0 {
			char = b.prefix + char
		}
		if b.suffix != "" && i+n == len(piece) {
			char += b.suffix
		}
		if id := b.single(r, char); id >= 0 {
			if held {
				dst = append(dst, b.unknown)
			}
			dst, held = append(dst, id), false
			continue
		}
		if b.byteFallback && hasFallback(&b.fallback, char) {
			for j := range len(char) {
				dst = append(dst, b.fallback[char[j]])
			}
			continue
		}
		if b.needsUnknown {
			spec.GiveUp(errNoUnknown)
		}
		if held && !b.fuseUnknown {
			dst = append(dst, b.unknown)
		}
		held = b.unknown >= 0
	}
	if held {
		dst = append(dst, b.unknown)
	}
	return dst
}

func hasFallback(fallback *[256]int32, char string) bool {
	for i := range len(char) {
		if fallback[char[i]] < 0 {
			return false
		}
	}
	return true
}
