package run

import (
	"context"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// cancelPatience is what a child that was cancelled gets to write down what it has.
const cancelPatience = 10 * time.Second

// Child runs a command of a point to its end, in a process group of its own that
// ends with us. Both interrupts are handed on: after the first one it can finish what
// it has under way, after the second one it should give that up. If it does neither,
// it is killed.
func (r *Runner) Child(ctx context.Context, drain <-chan struct{}, c target.Command) (*target.Process, error) {
	copied, err := r.copyLog(c.Log)
	if err != nil {
		return nil, err
	}
	defer copied.stop()
	p, err := target.Start(c)
	if err != nil {
		return nil, err
	}
	defer p.Stop() // nothing of it stays, even if it has started others
	select {
	case <-p.Exited():
		return p, nil
	case <-ctx.Done():
		return p, nil
	case <-drain:
	}
	p.Interrupt()
	select {
	case <-p.Exited():
		return p, nil
	case <-ctx.Done():
	}
	p.Interrupt()
	select {
	case <-p.Exited():
	case <-time.After(cancelPatience):
	}
	return p, nil
}
