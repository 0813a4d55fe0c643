package model

import (
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// wordPiece takes the longest token that a word begins with, then the longest that its rest begins with.
type wordPiece struct {
	vocab     map[string]int32
	first     trie // tokens as they are
	rest      trie // tokens with the prefix, without it
	unknown   int32
	maxChars  int
	byteLevel bool
}

func newWordPiece(m *spec.Model, byteLevel bool) *wordPiece {
	p := &wordPiece{vocab: m.Vocab.IDs, unknown: unknownID(m), maxChars: 100, byteLevel: byteLevel}
	if m.MaxChars != nil {
		p.maxChars = *m.MaxChars
	}
	p.first, p.rest = newTrie(len(m.Vocab.IDs)), newTrie(len(m.Vocab.IDs))
	for id, name := range m.Vocab.Names {
		if name == "" || m.Vocab.IDs[name] != int32(id) || m.Outside[int32(id)] {
			continue
		}
		p.first.add(name, int32(id))
		if n := len(m.Prefix); len(name) > n && name[:n] == m.Prefix {
			p.rest.add(name[n:], int32(id))
		}
	}
	return p
}

// Encode appends the tokens of a word, or the unknown token where any part of it has none.
func (p *wordPiece) Encode(w *Worker, word string, dst []int32) []int32 {
	if word == "" {
		return dst
	}
	if ids, ok := w.cache.get(word); ok {
		return append(dst, ids...)
	}
	start, key := len(dst), word
	if p.byteLevel {
		word = string(bytelevel.AppendSpelling(nil, word))
	}
	t := &p.first
	for i := 0; i < len(word); t = &p.rest {
		id, n := t.longest(word[i:])
		if n == 0 {
			dst = p.appendUnknown(dst[:start])
			break
		}
		dst = append(dst, id)
		i += n
	}
	if utf8.RuneCountInString(word) > p.maxChars {
		dst = p.appendUnknown(dst[:start])
	}
	w.cache.put(key, dst[start:])
	return dst
}

func (p *wordPiece) appendUnknown(dst []int32) []int32 {
	if p.unknown < 0 {
		spec.GiveUp(errNoUnknown)
	}
	return append(dst, p.unknown)
}

// longest is the longest token that text begins with, and its length, or 0.
func (t *trie) longest(text string) (id int32, n int) {
	state := int32(0)
	for i := range len(text) {
		if state = t.next(state, text[i]); state < 0 {
			break
		}
		if found := t.states[state].id; found >= 0 {
			id, n = found, i+1
		}
	}
	return id, n
}

// wordLevel knows whole pieces only.
type wordLevel struct {
	vocab     map[string]int32
	unknown   int32
	byteLevel bool
}

func newWordLevel(m *spec.Model, byteLevel bool) *wordLevel {
	return &wordLevel{m.Vocab.IDs, unknownID(m), byteLevel}
}

// Encode appends the token of a piece.
func (l *wordLevel) Encode(_ *Worker, piece string, dst []int32) []int32 {
	if piece == "" {
		return dst
	}
	if l.byteLevel {
		piece = string(bytelevel.AppendSpelling(nil, piece))
	}
	id, ok := l.vocab[piece]
	if !ok {
		if id = l.unknown; id < 0 {
			spec.GiveUp(errNoUnknown)
		}
	}
	return append(dst, id)
}
