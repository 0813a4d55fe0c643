package tree

import (
	"cmp"
	"container/heap"
	"errors"
)

// Order puts the turns into the order of their times, as far as each stands behind its parents. It fails
// where turns wait for each other in a circle, or for one that does not exist.
func (t *Tree) Order() error { return t.order(make([]int, len(t.Turns))) }

// order does it with numbers that say which of two turns of one time comes first; of the same number it is the one that
// did.
func (t *Tree) order(numbers []int) error {
	waiting := make([]int, len(t.Turns))
	children := make([][]int32, len(t.Turns))
	for i := range t.Turns {
		for _, p := range t.Turns[i].Parents {
			if p.Turn < 0 || p.Turn >= len(t.Turns) {
				return errors.New("a turn waits for one that does not exist")
			}
			children[p.Turn] = append(children[p.Turn], int32(i))
			waiting[i]++
		}
	}
	free := &byTime{turns: t.Turns, numbers: numbers}
	for i, n := range waiting {
		if n == 0 {
			free.list = append(free.list, i)
		}
	}
	heap.Init(free)
	ordered := make([]Turn, 0, len(t.Turns))
	place := make([]int, len(t.Turns))
	for free.Len() > 0 {
		i := heap.Pop(free).(int)
		place[i] = len(ordered)
		ordered = append(ordered, t.Turns[i])
		for _, c := range children[i] {
			if waiting[c]--; waiting[c] == 0 {
				heap.Push(free, int(c))
			}
		}
	}
	if len(ordered) < len(t.Turns) {
		return errors.New("its turns wait for each other in a circle")
	}
	for i := range ordered {
		for k := range ordered[i].Parents {
			p := &ordered[i].Parents[k]
			p.Turn = place[p.Turn]
		}
	}
	t.Turns = ordered
	return nil
}

// byTime is a heap of turns that may stand next.
type byTime struct {
	turns   []Turn
	numbers []int
	list    []int
}

func (h *byTime) Len() int { return len(h.list) }

func (h *byTime) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	return cmp.Or(cmp.Compare(h.turns[a].At, h.turns[b].At), h.numbers[a]-h.numbers[b], a-b) < 0
}

func (h *byTime) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }

func (h *byTime) Push(x any) { h.list = append(h.list, x.(int)) }

func (h *byTime) Pop() any {
	last := len(h.list) - 1
	x := h.list[last]
	h.list = h.list[:last]
	return x
}
