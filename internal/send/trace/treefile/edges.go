package treefile

import "github.com/inferometer/inferometer/internal/send/trace/tree"

// pauses takes the pause before each turn from the recorded times: from the end of each parent, or from its
// start where the turn began before that end.
func pauses(t *tree.Tree) {
	for i := range t.Turns {
		u := &t.Turns[i]
		for k := range u.Parents {
			p := &u.Parents[k]
			from := &t.Turns[p.Turn]
			if p.Sent = u.At < from.At+from.Took; p.Sent {
				p.Pause = u.At - from.At
			} else {
				p.Pause = u.At - from.At - from.Took
			}
		}
	}
}

// nameEdges says what each edge is, of turns in their order, and which branch spawned which.
func nameEdges(t *tree.Tree) {
	last := make([]int, len(t.Branches)) // turn of each branch
	begun := make([]bool, len(t.Branches))
	for i := range t.Turns {
		last[t.Turns[i].Branch] = i
	}
	for i := range t.Turns {
		u := &t.Turns[i]
		for k := range u.Parents {
			p := &u.Parents[k]
			from := t.Turns[p.Turn].Branch
			switch {
			case from == u.Branch:
				p.Edge = tree.Next
			case !begun[u.Branch]:
				p.Edge = tree.Spawn
				t.Branches[u.Branch].Parent = from
				t.Branches[u.Branch].Since = u.At
			case last[from] == p.Turn:
				p.Edge = tree.Join
			default:
				p.Edge = tree.Barrier
			}
		}
		begun[u.Branch] = true
	}
}

// chain makes branches of turns in their order, where Branch is an agent of this list so far: a turn goes on
// with a branch of its agent whose last turn it waits for, and otherwise begins one.
func chain(t *tree.Tree, agents []tree.Branch) {
	last := map[int]int{} // turn → the branch that it ends so far
	owner := []int{}      // agent of each branch
	for i := range t.Turns {
		u := &t.Turns[i]
		agent, found := u.Branch, -1
		for _, p := range u.Parents {
			b, ends := last[p.Turn]
			if ends && !p.Sent && owner[b] == agent && (found < 0 || p.History == tree.Full) {
				found = b
			}
		}
		if found < 0 {
			found = len(t.Branches)
			b := agents[agent]
			if b.Parent = -1; found == 0 {
				b.Kind = tree.Root
			}
			t.Branches, owner = append(t.Branches, b), append(owner, agent)
		} else {
			for _, p := range u.Parents {
				if b, ends := last[p.Turn]; ends && b == found {
					delete(last, p.Turn)
				}
			}
		}
		u.Branch = found
		last[i] = found
	}
	nameEdges(t)
}
