package tree

import (
	"cmp"
	"slices"
)

// Hits are the blocks at the beginning of each turn's prompt that a prompt before it had, and all its blocks: what a cache
// without bounds would know that sees this tree alone, in recorded order. It is AIPerf's theoretical rate.
func (t *Tree) Hits() (hits, blocks []int32) {
	hits, blocks = make([]int32, len(t.Turns)), make([]int32, len(t.Turns))
	order := make([]int, len(t.Turns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Turns[a].At, t.Turns[b].At) })
	seen := map[uint64]struct{}{}
	sizes := make([]int, len(t.Branches)) // of the prompt before on each branch
	for _, i := range order {
		turn := &t.Turns[i]
		kept := min(turn.Kept, sizes[turn.Branch])
		sizes[turn.Branch] = kept + len(turn.IDs)
		n, leading := kept, true
		for _, id := range turn.IDs {
			_, known := seen[id]
			if leading = leading && known; leading {
				n++
			}
			seen[id] = struct{}{}
		}
		hits[i], blocks[i] = int32(n), int32(sizes[turn.Branch])
	}
	return hits, blocks
}
