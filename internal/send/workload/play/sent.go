package play

import "sync"

// piece is a run of tokens that its key tells: 48 bits of it, and 16 of how many tokens. Pieces with the same key begin with
// the same tokens.
type piece uint64

const pieceBits = 16

func newPiece(key uint64, n int) piece { return piece(key<<pieceBits | uint64(n)) }

func (p piece) key() uint64 { return uint64(p) >> pieceBits }
func (p piece) n() int      { return int(p & (1<<pieceBits - 1)) }

// sent is what a prefix cache without bounds would hold: the prompts that were sent, as a tree of their pieces.
type sent struct {
	mu   sync.Mutex
	root node
	left int // pieces that may be added
}

type node struct {
	pieces []piece
	next   []*node
}

// maxSent bounds what is kept of the prompts of one play, or of all where a play does not keep to itself: 128 MiB.
const maxSent = 16 << 20

func newSent() *sent { return &sent{left: maxSent} }

// add enters a prompt and says how many of its leading tokens an earlier one had. Not known: there was too much to keep.
func (s *sent) add(prompt []piece) (shared int, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left < len(prompt) {
		s.left = 0
		return 0, false
	}
	at := &s.root
	for {
		k := 0
		for k < len(at.pieces) && k < len(prompt) && at.pieces[k] == prompt[k] {
			shared += prompt[k].n()
			k++
		}
		if k < len(at.pieces) { // it ends, or goes another way, inside
			if k < len(prompt) && at.pieces[k].key() == prompt[k].key() {
				shared += min(at.pieces[k].n(), prompt[k].n())
			}
			if k < len(prompt) {
				rest := &node{at.pieces[k:], at.next}
				at.pieces, at.next = at.pieces[:k:k], []*node{rest, s.leaf(prompt[k:])}
			}
			return shared, true
		}
		if prompt = prompt[k:]; len(prompt) == 0 {
			return shared, true
		}
		var same *node
		part := 0
		for _, n := range at.next {
			if n.pieces[0] == prompt[0] {
				same = n
			} else if n.pieces[0].key() == prompt[0].key() {
				part = max(part, min(n.pieces[0].n(), prompt[0].n()))
			}
		}
		if same == nil {
			at.next = append(at.next, s.leaf(prompt))
			return shared + part, true
		}
		at = same
	}
}

func (s *sent) leaf(prompt []piece) *node {
	s.left -= len(prompt)
	return &node{pieces: append([]piece(nil), prompt...)}
}
