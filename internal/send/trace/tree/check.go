package tree

import (
	"errors"
	"fmt"
	"time"
)

// What a tree may hold: more is no recording, or an attack.
const (
	MaxTurns  = 1 << 16
	MaxTokens = 1 << 24 // of a prompt, and of an answer
	MaxIDs    = 1 << 20 // of a prompt

	maxTime = 1e9 * time.Second
)

// Check holds a tree against its own rules.
func (t *Tree) Check() error {
	switch {
	case len(t.Turns) == 0:
		return errors.New("it has no turns")
	case len(t.Turns) > MaxTurns:
		return fmt.Errorf("%d turns are more than %d", len(t.Turns), MaxTurns)
	case len(t.Branches) == 0 || len(t.Branches) > len(t.Turns):
		return fmt.Errorf("%d branches for %d turns", len(t.Branches), len(t.Turns))
	case t.Block < 0 || t.Block > MaxTokens:
		return fmt.Errorf("a block of %d tokens is not within 0 and %d", t.Block, MaxTokens)
	}
	for i, b := range t.Branches {
		if b.Parent < -1 || b.Parent >= len(t.Branches) || b.Parent == i || i == 0 && b.Parent >= 0 {
			return fmt.Errorf("branch %d can't be spawned by branch %d", i, b.Parent)
		}
		if b.System < 0 || b.System > MaxTokens {
			return fmt.Errorf("branch %d: a system prompt of %d tokens is not within 0 and %d", i, b.System, MaxTokens)
		}
	}
	blocks := make([]int, len(t.Branches)) // of the last turn on each
	for i := range t.Turns {
		if err := t.checkTurn(i, blocks); err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
	}
	return nil
}

func (t *Tree) checkTurn(i int, blocks []int) error {
	u := &t.Turns[i]
	switch {
	case u.Branch < 0 || u.Branch >= len(t.Branches):
		return fmt.Errorf("there is no branch %d", u.Branch)
	case u.Input < 0 || u.Input > MaxTokens || u.Output < 0 || u.Output > MaxTokens:
		return fmt.Errorf("lengths of %d and %d tokens are not within 0 and %d", u.Input, u.Output, MaxTokens)
	case u.At < 0 || u.Took < 0 || u.At > maxTime || u.Took > maxTime:
		return fmt.Errorf("it began at %v and took %v", u.At, u.Took)
	case u.Kept < 0 || u.Kept > blocks[u.Branch]:
		return fmt.Errorf("it keeps %d blocks of %d", u.Kept, blocks[u.Branch])
	case len(u.IDs) > 0 && t.Block == 0:
		return errors.New("its blocks have no size")
	case u.Kept+len(u.IDs) > MaxIDs:
		return fmt.Errorf("%d blocks are more than %d", u.Kept+len(u.IDs), MaxIDs)
	}
	blocks[u.Branch] = u.Kept + len(u.IDs)
	for _, p := range u.Parents {
		if p.Turn < 0 || p.Turn >= i || p.Pause < 0 || p.Pause > maxTime || p.Edge > Barrier || p.History > Full {
			return fmt.Errorf("it can't wait for turn %d with a pause of %v", p.Turn, p.Pause)
		}
	}
	return nil
}
