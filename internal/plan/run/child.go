package run

import (
	"context"

	"github.com/inferometer/inferometer/internal/send/target"
)

// Child runs a command of a point to its end, in a process group of its own that
// ends with us. Both interrupts are handed on: see target.Process.Finish.
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
	p.Finish(ctx, drain)
	return p, nil
}
