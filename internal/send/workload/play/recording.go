package play

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// Recording is a tree with what all its plays share. It is changed by none of them.
type Recording struct {
	*tree.Tree
	turns  [][]int32 // of each branch, in order
	place  []int32   // of each turn on its branch
	hits   []int32   // see [tree.Tree.Hits]
	blocks []int32   // of each turn's prompt
	caps   []int32   // blocks that the answer before a turn may have; -1: no bound
	models []string  // in the order of their first turns
	texts  bool      // turns have messages of their own
	scope  uint64    // that its block ids are told from those of others by
}

// minted is the block of trees that have lengths and no blocks.
const minted = 16

// New looks at a tree.
func New(t *tree.Tree) (*Recording, error) {
	if err := check(t); err != nil {
		return nil, err
	}
	r := &Recording{Tree: t, turns: make([][]int32, len(t.Branches)), place: make([]int32, len(t.Turns))}
	for i := range t.Turns {
		turn := &t.Turns[i]
		r.place[i] = int32(len(r.turns[turn.Branch]))
		r.turns[turn.Branch] = append(r.turns[turn.Branch], int32(i))
		r.texts = r.texts || turn.Own != nil
		if turn.Model != "" && !slices.Contains(r.models, turn.Model) {
			r.models = append(r.models, turn.Model)
		}
	}
	if !t.Shared {
		h := fnv.New64a()
		_, _ = h.Write([]byte(t.ID)) // never fails
		r.scope = h.Sum64() | 1
	}
	if r.texts {
		return r, nil
	}
	if t.Block == 0 {
		r.mint()
	}
	r.hits, r.blocks = r.Hits()
	r.planCaps()
	return r, nil
}

// maxBlock bounds the tokens of a block.
const maxBlock = 1<<16 - 1

// check holds a tree against what a conversation may be.
func check(t *tree.Tree) error {
	switch {
	case len(t.Turns) > talk.MaxTurns:
		return fmt.Errorf("it has %d turns, and %d are the most that are played", len(t.Turns), talk.MaxTurns)
	case t.Block > maxBlock:
		return fmt.Errorf("its blocks have %d tokens, and %d are the most", t.Block, maxBlock)
	}
	return t.Check()
}

// mint gives ids to a tree that has lengths alone: where the history of a branch is whole, its prompts are beginnings of one text.
func (r *Recording) mint() {
	own := *r.Tree
	own.Block, own.Turns = minted, slices.Clone(r.Tree.Turns)
	r.Tree = &own
	for _, list := range r.turns {
		before := 0
		for _, i := range list {
			t := &own.Turns[i]
			if len(list) > 1 && !grows(t) && before > 0 {
				before = 0
			}
			blocks := t.Input / minted
			t.Kept, t.IDs = min(before, blocks), nil
			for k := t.Kept; k < blocks; k++ {
				t.IDs = append(t.IDs, key(uint64(t.Branch), uint64(k)))
			}
			before = blocks
		}
	}
}

// grows says that a turn's prompt begins with the one before it.
func grows(t *tree.Turn) bool {
	return slices.ContainsFunc(t.Parents, func(p tree.Parent) bool { return p.Edge == tree.Next && p.History == tree.Full })
}

// ids are the blocks of a turn's prompt.
func (r *Recording) ids(turn int) (list []uint64) {
	for _, i := range r.turns[r.Turns[turn].Branch][:r.place[turn]+1] {
		t := &r.Turns[i]
		list = append(list[:min(t.Kept, len(list))], t.IDs...)
	}
	return list
}

// Longest is the most tokens of a prompt with its answer.
func (r *Recording) Longest() (tokens int) {
	for i := range r.Turns {
		tokens = max(tokens, r.Turns[i].Input+r.Turns[i].Output)
	}
	return tokens
}

// HasTexts says that turns have messages of their own.
func (r *Recording) HasTexts() bool { return r.texts }
