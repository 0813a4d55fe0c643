package model

import (
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/inferometer/inferometer/tokenizer/internal/bytelevel"
	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// unigram finds the tokens of a piece whose scores have the greatest sum (Viterbi's search).
type unigram struct {
	trie         trie
	vocab        map[string]int32
	scores       []float64
	unknown      int32 // or -1
	unknownScore float64
	byteLevel    bool
	byteFallback bool
	fallback     [256]int32
	narrow       bool // sums have 32 bits, as SentencePiece's
}

// node is the best way to a place in a piece.
type node struct {
	score float64
	from  int32 // where its last token begins, or -1
	id    int32
}

const unknownPenalty = 10

// farSum is where SentencePiece counts from nought again: 32 bits hold no cents of larger sums.
const farSum = 100_000

func newUnigram(m *spec.Model, byteLevel bool) (*unigram, error) {
	u := &unigram{
		vocab: m.Vocab.IDs, scores: m.Scores, unknown: -1, byteLevel: byteLevel, byteFallback: m.ByteFallback,
		fallback: fallbackTokens(&m.Vocab), narrow: m.SentencePiece,
	}
	if m.UnkID != nil {
		u.unknown = *m.UnkID
	}
	least, most := math.Inf(1), math.Inf(-1)
	for id, score := range m.Scores {
		if math.IsNaN(score) {
			return nil, errors.New("model: a score is no number")
		}
		if !m.SentencePiece || !m.Outside[int32(id)] && !m.UserDefined[int32(id)] {
			least, most = min(least, score), max(most, score)
		}
	}
	u.unknownScore = least - unknownPenalty
	if u.narrow {
		u.unknownScore = float64(float32(least) - unknownPenalty)
		u.preferDefined(m, most)
	}
	u.trie = newTrie(len(m.Vocab.Names))
	for id, name := range m.Vocab.Names {
		if !m.Outside[int32(id)] && m.Vocab.IDs[name] == int32(id) && name != "" {
			u.trie.add(name, int32(id))
		}
	}
	return u, nil
}

// preferDefined gives user-defined pieces scores by which they are always taken.
func (u *unigram) preferDefined(m *spec.Model, most float64) {
	if len(m.UserDefined) == 0 {
		return
	}
	u.scores = slices.Clone(u.scores)
	for id := range m.UserDefined {
		u.scores[id] = float64(float32(len(m.Vocab.Names[id]))*float32(most)) - 0.1
	}
}

// Encode appends the tokens of a piece.
func (u *unigram) Encode(w *Worker, piece string, dst []int32) []int32 {
	if piece == "" {
		return dst
	}
	if ids, ok := w.cache.get(piece); ok {
		return append(dst, ids...)
	}
	start, key := len(dst), piece
	if u.byteLevel {
		piece = string(bytelevel.AppendSpelling(nil, piece))
	}
	u.search(w, piece)
	dst = u.path(w, piece, dst)
	w.cache.put(key, dst[start:])
	return dst
}

// search fills the lattice from left to right.
func (u *unigram) search(w *Worker, piece string) {
	w.lattice = slices.Grow(w.lattice[:0], len(piece)+1)[:len(piece)+1]
	nodes := w.lattice
	for i := range nodes {
		nodes[i] = node{from: -1}
	}
	frontier := 0 // the last place that has a way to it
	offer := func(at, from int, score float64, id int32) {
		frontier = max(frontier, at)
		if u.narrow {
			score = float64(float32(score))
		}
		if n := &nodes[at]; n.from < 0 || score > n.score {
			*n = node{score, int32(from), id}
		}
	}
	for i := 0; i < len(piece); {
		_, size := utf8.DecodeRuneInString(piece[i:])
		if u.narrow && math.Abs(nodes[i].score) > farSum {
			countAgain(nodes[i : frontier+1])
		}
		here, single := nodes[i].score, false
		state := int32(0)
		for j := i; j < len(piece); j++ {
			if state = u.trie.next(state, piece[j]); state < 0 {
				break
			}
			id := u.trie.states[state].id
			if id < 0 {
				continue
			}
			offer(j+1, i, here+u.scores[id], id)
			single = single || j+1 == i+size
		}
		if !single {
			offer(i+size, i, here+u.unknownScore, -1)
		}
		i += size
	}
}

// countAgain takes the first node's sum from all that have one: which of them is best stays the same.
func countAgain(nodes []node) {
	offset := float32(nodes[0].score)
	nodes[0].score = 0
	for i := range nodes[1:] {
		if n := &nodes[1+i]; n.from >= 0 {
			n.score = float64(float32(n.score) - offset)
		}
	}
}

// path walks back from the end, and joins neighbouring unknown runes.
func (u *unigram) path(w *Worker, piece string, dst []int32) []int32 {
	start := len(dst)
	nodes := w.lattice
	unknownFrom, unknownTo := -1, -1
	for at := len(piece); ; {
		if at == 0 || nodes[at].id >= 0 && nodes[at].id != u.unknown {
			if unknownFrom >= 0 {
				dst = u.appendUnknown(dst, piece[unknownFrom:unknownTo])
				unknownFrom = -1
			}
			if at == 0 {
				break
			}
			dst = append(dst, nodes[at].id)
		} else {
			if unknownFrom < 0 {
				unknownTo = at
			}
			unknownFrom = int(nodes[at].from)
		}
		at = int(nodes[at].from)
	}
	slices.Reverse(dst[start:])
	return dst
}

// appendUnknown adds the tokens of unknown runes, the last first.
func (u *unigram) appendUnknown(dst []int32, text string) []int32 {
	if id, ok := u.vocab[text]; ok && !u.narrow {
		return append(dst, id)
	}
	if u.byteFallback && hasFallback(&u.fallback, text) {
		for i := len(text) - 1; i >= 0; i-- {
			dst = append(dst, u.fallback[text[i]])
		}
		return dst
	}
	if u.unknown < 0 {
		spec.GiveUp(errNoUnknown)
	}
	return append(dst, u.unknown)
}
