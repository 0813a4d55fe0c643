package model

import (
	"math/bits"
	"sync/atomic"
)

// pairMap finds the merge of two neighbouring tokens. It is an open-addressing table rather than a
// Go map because this lookup is nearly all that encoding an unseen word does.
type pairMap struct {
	slots []pairSlot
	shift uint8
	used  int
}

type pairSlot struct {
	key uint64 // 0 is an empty slot
	merge
}

// merge is what becomes of a pair: a lower rank goes first, id is the token of both together.
type merge struct{ rank, id int32 }

// noMerge is the rank of a pair that has none: greater than every real rank.
const noMerge = int32(1<<31 - 1)

// newPairMap has room for n pairs, and grows beyond.
func newPairMap(n int) pairMap {
	log := bits.Len(uint(n)*2 + 2)
	return pairMap{slots: make([]pairSlot, 1<<log), shift: uint8(64 - log)}
}

func pairKey(left, right int32) uint64 {
	return (uint64(uint32(left))<<32 | uint64(uint32(right))) + 1
}

// home is the slot where a search starts: the top bits of a product, which depend on all of the key.
func (m *pairMap) home(key uint64) int {
	return int(key * 0x9E3779B97F4A7C15 >> m.shift)
}

// put keeps the later of two merges of one pair, as Hugging Face's map does.
func (m *pairMap) put(left, right int32, to merge) {
	if m.used*2 >= len(m.slots) { // half of the slots stay empty, so that searches are short, and end
		m.grow()
	}
	m.set(pairKey(left, right), to)
}

func (m *pairMap) grow() {
	old := m.slots
	*m = newPairMap(len(old))
	for _, s := range old {
		if s.key != 0 {
			m.set(s.key, s.merge)
		}
	}
}

func (m *pairMap) set(key uint64, to merge) {
	for i := m.home(key); ; i = (i + 1) & (len(m.slots) - 1) {
		s := &m.slots[i]
		if s.key == 0 {
			m.used++
		}
		if s.key == 0 || s.key == key {
			s.key, s.merge = key, to
			return
		}
	}
}

func (m *pairMap) get(left, right int32) merge {
	key := pairKey(left, right)
	for i := m.home(key); ; i = (i + 1) & (len(m.slots) - 1) {
		switch s := &m.slots[i]; s.key {
		case key:
			return s.merge
		case 0:
			return merge{rank: noMerge}
		}
	}
}

// bytePairs is the pairMap of two bytes, which is what the first look at every piece asks for: it stays
// in a core's cache, where the whole map does not. Filled as it is used; a pair that is not known yet is 0.
type bytePairs [1 << 16]atomic.Uint64

func (p *bytePairs) get(b *bpe, left, right byte) merge {
	slot := &p[int(left)<<8|int(right)]
	known := slot.Load()
	if known == 0 {
		m := b.merges.get(b.bytes[left], b.bytes[right])
		known = (uint64(m.rank)<<32 | uint64(m.id)) + 1
		slot.Store(known)
	}
	known--
	return merge{rank: int32(known >> 32), id: int32(known)}
}
