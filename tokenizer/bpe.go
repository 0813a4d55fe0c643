package tokenizer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// bpe is the model: it joins the smallest tokens of a piece of text by the merges it has learned, the
// lowest rank first.
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
}

func newBPE(m *modelFormat, byteLevel bool) *bpe {
	b := &bpe{
		vocab: m.vocab.ids, merges: m.merges, byteLevel: byteLevel,
		byteFallback: m.ByteFallback, ignoreMerges: m.IgnoreMerges, fuseUnknown: m.FuseUnk, unknown: -1,
	}
	if m.UnkToken != nil {
		b.unknown = m.vocab.id(*m.UnkToken)
	}
	for i := range 256 {
		b.fallback[i] = m.vocab.id(fmt.Sprintf("<0x%02X>", i))
		b.bytes[i] = m.vocab.id(string(byteToRune[i]))
	}
	if byteLevel && slices.Min(b.bytes[:]) >= 0 {
		b.bytePairs = new(bytePairs)
	}
	return b
}

// encode appends the tokens of a piece.
func (b *bpe) encode(w *worker, piece string, dst []int32) []int32 {
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
func (b *bpe) spell(w *worker, piece string) {
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
		w.symbols = b.fromBytes(w.symbols, piece)
	} else {
		w.symbols = b.fromRunes(w.symbols, piece)
	}
	for i := 1; i < len(w.symbols); i++ {
		w.pairs = append(w.pairs, b.merges.get(w.symbols[i-1], w.symbols[i]))
	}
}

// whole is the token that a piece is without any merge.
func (b *bpe) whole(w *worker, piece string) (int32, bool) {
	if !b.ignoreMerges {
		return 0, false
	}
	if !b.byteLevel {
		id, ok := b.vocab[piece]
		return id, ok
	}
	w.spelling = appendSpelling(w.spelling[:0], piece)
	id, ok := b.vocab[string(w.spelling)]
	return id, ok
}

func (b *bpe) fromBytes(dst []int32, piece string) []int32 {
	for i := range len(piece) {
		id := b.bytes[piece[i]]
		if id < 0 {
			id = b.unknown
		}
		if id >= 0 {
			dst = append(dst, id)
		}
	}
	return dst
}

func (b *bpe) fromRunes(dst []int32, piece string) []int32 {
	afterUnknown := false
	for i, n := 0, 0; i < len(piece); i += n {
		_, n = utf8.DecodeRuneInString(piece[i:])
		char := piece[i : i+n]
		if id, ok := b.vocab[char]; ok {
			dst = append(dst, id)
			afterUnknown = false
			continue
		}
		if b.byteFallback && b.hasFallback(char) {
			for j := range n {
				dst = append(dst, b.fallback[char[j]])
			}
			afterUnknown = false
			continue
		}
		if b.unknown >= 0 && !(b.fuseUnknown && afterUnknown) {
			dst = append(dst, b.unknown)
		}
		afterUnknown = true
	}
	return dst
}

func (b *bpe) hasFallback(char string) bool {
	for i := range len(char) {
		if b.fallback[char[i]] < 0 {
			return false
		}
	}
	return true
}
