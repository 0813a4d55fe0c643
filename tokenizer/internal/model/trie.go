package model

import (
	"errors"
	"math/bits"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// trie finds the tokens that a text begins with. Its edges lie in one open-addressing table: quicker to build than
// a double array, and one look-up a byte.
type trie struct {
	slots  []edge
	shift  uint8
	used   int
	states []state
}

type state struct {
	id    int32  // the token that ends there, or -1
	bytes uint32 // bit c%32 is set if a byte c may follow: most walks end without a look into the table
}

type edge struct {
	key uint32 // state and byte, plus 1; 0 is an empty slot
	to  int32
}

func newTrie(tokens int) trie {
	t := trie{states: make([]state, 1, 4*tokens+1)}
	t.states[0].id = -1
	t.resize(8 * tokens)
	return t
}

func (t *trie) resize(n int) {
	log := max(4, bits.Len(uint(n)))
	t.slots, t.shift = make([]edge, 1<<log), uint8(64-log)
}

func (t *trie) home(key uint32) int {
	return int(uint64(key) * 0x9E3779B97F4A7C15 >> t.shift)
}

// maxStates keeps a state and a byte within a key.
const maxStates = 1<<24 - 1

var errTooLarge = errors.New("the vocabulary is too large")

func (t *trie) add(name string, id int32) {
	at := int32(0)
	for i := range len(name) {
		to := t.next(at, name[i])
		if to < 0 {
			if len(t.states) >= maxStates {
				spec.GiveUp(errTooLarge)
			}
			to = int32(len(t.states))
			t.states = append(t.states, state{id: -1})
			t.put(at, name[i], to)
		}
		at = to
	}
	t.states[at].id = id
}

func (t *trie) put(from int32, c byte, to int32) {
	t.states[from].bytes |= 1 << (c % 32)
	if t.used*2 >= len(t.slots) {
		old := t.slots
		t.resize(2 * len(old))
		for _, e := range old {
			if e.key != 0 {
				t.set(e)
			}
		}
	}
	t.used++
	t.set(edge{uint32(from)<<8 | uint32(c) + 1, to})
}

func (t *trie) set(e edge) {
	for i := t.home(e.key); ; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].key == 0 {
			t.slots[i] = e
			return
		}
	}
}

// next is the state after one more byte, or -1.
func (t *trie) next(from int32, c byte) int32 {
	if t.states[from].bytes>>(c%32)&1 == 0 {
		return -1
	}
	key := uint32(from)<<8 | uint32(c) + 1
	for i := t.home(key); ; i = (i + 1) & (len(t.slots) - 1) {
		switch e := &t.slots[i]; e.key {
		case key:
			return e.to
		case 0:
			return -1
		}
	}
}
