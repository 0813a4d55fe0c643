package sim

import (
	"fmt"
	"strings"
)

// wordTokenizer is the built-in vocabulary: ids 0 to 255 are the bytes, then
// come words. Encoding takes the longest token that fits, from left to right,
// so each text has one encoding and decoding gives the text back.
type wordTokenizer struct {
	pieces  []string // by id
	byFirst [256][]int32
}

const byteTokens = 256

func newWordTokenizer() *wordTokenizer {
	t := &wordTokenizer{}
	for b := range byteTokens {
		t.pieces = append(t.pieces, string([]byte{byte(b)}))
	}
	t.pieces = append(t.pieces, builtinWords()...)
	t.pieces = append(t.pieces, strings.Fields(pairs)...)
	for id := byteTokens; id < len(t.pieces); id++ {
		p := t.pieces[id]
		list := &t.byFirst[p[0]]
		// Longest first, so that the first match is the one to take.
		at := len(*list)
		for at > 0 && len(t.pieces[(*list)[at-1]]) < len(p) {
			at--
		}
		*list = append((*list)[:at], append([]int32{int32(id)}, (*list)[at:]...)...)
	}
	return t
}

func (t *wordTokenizer) Encode(text string) ([]int32, error) {
	ids := make([]int32, 0, len(text)/3+1)
next:
	for len(text) > 0 {
		for _, id := range t.byFirst[text[0]] {
			if p := t.pieces[id]; strings.HasPrefix(text, p) {
				ids = append(ids, id)
				text = text[len(p):]
				continue next
			}
		}
		ids = append(ids, int32(text[0]))
		text = text[1:]
	}
	return ids, nil
}

func (t *wordTokenizer) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		if id < 0 || int(id) >= len(t.pieces) {
			return "", fmt.Errorf("token id %d is not in the vocabulary of %d", id, len(t.pieces))
		}
		b.WriteString(t.pieces[id])
	}
	return b.String(), nil
}
