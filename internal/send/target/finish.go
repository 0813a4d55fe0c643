package target

import (
	"context"
	"time"
)

// cancelPatience is what a process that was cancelled gets to write down what it has.
const cancelPatience = 10 * time.Second

// Finish waits for the end of the first process and hands on both interrupts: after a
// drain it can finish what it has under way, at the end of ctx after that it should give
// that up. Whatever is left of it then is ended, as it is at the end of ctx alone.
func (p *Process) Finish(ctx context.Context, drain <-chan struct{}) {
	defer p.Stop() // nothing of it stays, even if it has started others
	select {
	case <-p.Exited():
		return
	case <-ctx.Done():
		return
	case <-drain:
	}
	p.Interrupt()
	select {
	case <-p.Exited():
		return
	case <-ctx.Done():
	}
	p.Interrupt()
	select {
	case <-p.Exited():
	case <-time.After(cancelPatience):
	}
}
