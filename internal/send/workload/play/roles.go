package play

// role of a message.
type role uint8

const (
	system role = iota
	user
	assistant
	roles
)

var roleNames = [roles]string{"system", "user", "assistant"}

// segment is a message of a prompt: blocks from the first on, and behind the last one, in the last message of a prompt, tokens
// that no block has.
type segment struct {
	role   role
	from   int // block
	blocks int
	tail   int // tokens
	turn   int // that brought it
	whole  bool
}

// The rules below are AIPerf's (docs/agents.md): who said a block is not recorded, and both must say the same of it.

// segments are the messages of a turn's prompt.
func (r *Recording) segments(turn int) (list []segment) {
	branch := r.turns[r.Turns[turn].Branch]
	covered, ids := 0, 0
	for k, i := range branch[:r.place[turn]+1] {
		t := &r.Turns[i]
		kept := min(t.Kept, ids)
		ids = kept + len(t.IDs)
		kept = min(kept, covered)
		covered = min(ids, t.Input/r.Block)
		kept = min(kept, covered)
		if k == 0 {
			list = r.first(int(i), covered)
			continue
		}
		list = r.advance(cut(list, kept), kept, covered, int(i), int(branch[k-1]))
	}
	if len(list) == 0 { // a prompt of no tokens
		list = append(list, segment{role: user, turn: turn})
	}
	return list
}

// first are the messages of a branch's first turn.
func (r *Recording) first(turn, covered int) (list []segment) {
	t := &r.Turns[turn]
	n := 0
	if s := r.Branches[t.Branch].System; s > 0 {
		if n = min((s+r.Block-1)/r.Block, covered); n > 0 {
			list = append(list, segment{role: system, blocks: n, turn: turn, whole: true})
		}
	}
	tail := t.Input - covered*r.Block
	if covered > n || tail > 0 || n == 0 {
		list = append(list, segment{role: user, from: n, blocks: covered - n, tail: tail, turn: turn, whole: true})
	}
	return list
}

// advance adds what a turn brings behind the blocks that it keeps: the answer to the turn before, and the user's words.
func (r *Recording) advance(list []segment, kept, covered, turn, before int) []segment {
	t := &r.Turns[turn]
	blocks, tail := covered-kept, t.Input-covered*r.Block
	answer := min((r.Turns[before].Output+r.Block-1)/r.Block, blocks)
	asked := false
	for i := range list {
		asked = asked || list[i].role == user
	}
	if !asked { // nobody has said anything that could be answered
		answer = 0
	}
	if c := int(r.caps[turn]); c >= 0 {
		answer = min(answer, c)
	}
	if tail == 0 && answer == blocks && answer > 0 {
		answer-- // a prompt ends with the user
	}
	if answer > 0 {
		list = append(list, segment{role: assistant, from: kept, blocks: answer, turn: before, whole: true})
	}
	if blocks > answer || tail > 0 {
		list = append(list, segment{role: user, from: kept + answer, blocks: blocks - answer, tail: tail, turn: turn, whole: true})
	}
	return list
}

// cut leaves the first blocks of a prompt.
func cut(list []segment, blocks int) []segment {
	for i := range list {
		s := &list[i]
		if s.from+s.blocks < blocks {
			continue
		}
		if s.from >= blocks {
			return list[:i]
		}
		if s.from+s.blocks > blocks {
			s.blocks, s.whole = blocks-s.from, false
		}
		s.tail = 0
		return list[:i+1]
	}
	return list
}

// planCaps bounds the answers that later turns cut: one that only takes blocks away must end with the user too, so the block
// that it ends with is the user's from the beginning.
func (r *Recording) planCaps() {
	r.caps = make([]int32, len(r.Turns))
	for i := range r.caps {
		r.caps[i] = -1
	}
	var owners []int32 // the turn that brought each block of the prompt
	var kepts []int
	for _, branch := range r.turns {
		owners, kepts = owners[:0], append(kepts[:0], 0)
		ids, covered := 0, 0
		for k, i := range branch {
			t := &r.Turns[i]
			kept := min(t.Kept, ids)
			ids = kept + len(t.IDs)
			kept = min(kept, covered)
			covered = min(ids, t.Input/r.Block)
			kept = min(kept, covered)
			if k > 0 {
				kepts = append(kepts, kept)
				if covered == kept && t.Input == covered*r.Block && kept > 0 {
					if owner := owners[kept-1]; owner > 0 {
						if bound := int32(kept - 1 - kepts[owner]); bound >= 0 && (r.caps[branch[owner]] < 0 || bound < r.caps[branch[owner]]) {
							r.caps[branch[owner]] = bound
						}
					}
				}
			}
			owners = owners[:min(kept, len(owners))]
			for len(owners) < covered {
				owners = append(owners, int32(k))
			}
		}
	}
}
