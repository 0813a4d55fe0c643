package tree

// code turns the whole lists of ids of all turns into what each adds to the one before it on its branch, and makes times
// those of the tree.
func (t *Tree) code() {
	t.At = t.Turns[0].At
	for i := range t.Turns {
		t.At = min(t.At, t.Turns[i].At)
	}
	total := 0
	before := make([][]uint64, len(t.Branches))
	for i := range t.Turns {
		turn := &t.Turns[i]
		turn.At -= t.At
		most := 0
		if t.Block > 0 {
			most = (turn.Input + t.Block - 1) / t.Block
		}
		if len(turn.IDs) > most {
			turn.IDs = turn.IDs[:most]
			t.Cut++
		}
		turn.Kept = Common(before[turn.Branch], turn.IDs)
		before[turn.Branch] = turn.IDs
		total += len(turn.IDs) - turn.Kept
	}
	// The lists that were read are let go.
	all := make([]uint64, 0, total)
	for i := range t.Turns {
		turn := &t.Turns[i]
		from := len(all)
		all = append(all, turn.IDs[turn.Kept:]...)
		turn.IDs = all[from:len(all):len(all)]
	}
	for i := range t.Branches {
		t.Branches[i].Since = max(t.Branches[i].Since-t.At, 0)
	}
}

// Prompts gives whole lists of ids. Its zero value is ready.
type Prompts struct{ before [][]uint64 }

// Of is the list of a turn. Turns are asked for in their order; a list holds until the next one of its branch.
func (p *Prompts) Of(t *Tree, turn int) []uint64 {
	if p.before == nil {
		p.before = make([][]uint64, len(t.Branches))
	}
	b := t.Turns[turn].Branch
	p.before[b] = append(p.before[b][:t.Turns[turn].Kept], t.Turns[turn].IDs...)
	return p.before[b]
}
