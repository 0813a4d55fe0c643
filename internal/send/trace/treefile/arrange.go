package treefile

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// arrange puts turns into their order, and lets times count from the first.
func arrange(t *tree.Tree) error {
	if len(t.Turns) == 0 || len(t.Turns) > tree.MaxTurns {
		return fmt.Errorf("it has %d turns, and must have 1 to %d", len(t.Turns), tree.MaxTurns)
	}
	if err := t.Order(); err != nil {
		return err
	}
	t.At = t.Turns[0].At
	for i := range t.Turns {
		t.At = min(t.At, t.Turns[i].At)
	}
	for i := range t.Turns {
		t.Turns[i].At -= t.At
	}
	return nil
}
