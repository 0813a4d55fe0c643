package tree

// Spawned is the tree without branches that had begun before the root and that nobody spawned: a recording that begins
// in the middle of a job has such. It is the tree itself where there are none.
func (t *Tree) Spawned() *Tree {
	root := -1
	gone := make([]bool, len(t.Branches))
	some := false
	for i := range t.Turns {
		switch b := t.Turns[i].Branch; {
		case root < 0 && b == 0:
			root = i
		case root < 0 && t.Branches[b].Parent < 0:
			gone[b], some = true, true
		}
	}
	if !some || root < 0 {
		return t
	}
	out := *t
	out.Branches, out.Turns = nil, nil
	branch := make([]int, len(t.Branches))
	for b := range t.Branches {
		if branch[b] = len(out.Branches); !gone[b] {
			out.Branches = append(out.Branches, t.Branches[b])
		}
	}
	from := t.Turns[root].At
	place := make([]int, len(t.Turns))
	for i, turn := range t.Turns {
		if gone[turn.Branch] {
			place[i] = -1
			continue
		}
		place[i] = len(out.Turns)
		parents := turn.Parents
		turn.Parents = nil
		for _, p := range parents {
			if p.Turn = place[p.Turn]; p.Turn >= 0 {
				turn.Parents = append(turn.Parents, p)
			}
		}
		turn.Branch = branch[turn.Branch]
		turn.At -= from
		out.Turns = append(out.Turns, turn)
	}
	for b := range out.Branches {
		own := &out.Branches[b]
		switch {
		case own.Parent > 0 && gone[own.Parent]:
			own.Parent = -1
		case own.Parent > 0:
			own.Parent = branch[own.Parent]
		}
		own.Since = max(own.Since-from, 0)
	}
	out.At += from
	return &out
}
