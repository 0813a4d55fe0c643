package tree

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// maxBarriers bounds them: there may be as many as the square of the turns.
const maxBarriers = 1 << 21

// barriers adds edges between branches of one scope. A turn waits for what the other branches had ended when it
// began: of each the last turn, unless another of those that it waits for began after that one had ended.
func (t *Tree) barriers(scope []int) error {
	ended := slices.Clone(scope) // by their ends
	slices.SortFunc(ended, func(a, b int) int {
		x, y := &t.Turns[a], &t.Turns[b]
		return cmp.Or(cmp.Compare(x.At+x.Took, y.At+y.Took), cmp.Compare(x.At, y.At), cmp.Compare(a, b))
	})
	other := make([]int, len(ended)) // the place before it with another branch
	for i := range ended {
		other[i] = i - 1
		if i > 0 && t.Turns[ended[i]].Branch == t.Turns[ended[i-1]].Branch {
			other[i] = other[i-1]
		}
	}
	if len(ended) == 0 || other[len(ended)-1] < 0 {
		return nil // one branch
	}
	var last []int
	seen := make([]int, len(t.Branches)) // the turn that last met a branch, from 1
	total := 0
	for _, i := range scope {
		own := &t.Turns[i]
		last = last[:0]
		latest := own.At // the latest begin among last, once there is one
		k := sort.Search(len(ended), func(k int) bool { e := &t.Turns[ended[k]]; return e.At+e.Took > own.At }) - 1
		for k >= 0 {
			e := &t.Turns[ended[k]]
			if e.Branch == own.Branch {
				k = other[k]
				continue
			}
			if len(last) > 0 && e.At+e.Took < latest {
				break // and all before it
			}
			if e.At < own.At && seen[e.Branch] != i+1 {
				seen[e.Branch] = i + 1
				if len(last) == 0 || e.At > latest {
					latest = e.At
				}
				last = append(last, ended[k])
			}
			k--
		}
		for _, l := range last {
			if e := &t.Turns[l]; e.At >= latest || e.At+e.Took > latest {
				own.Parents = append(own.Parents, t.parent(l, Barrier, own.At))
				total++
			}
		}
		if total > maxBarriers {
			return fmt.Errorf("its agents wait for each other in more than %d ways", maxBarriers)
		}
	}
	return nil
}
