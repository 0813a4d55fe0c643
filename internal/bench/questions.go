package bench

import (
	"context"
	"errors"
	"io"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// Questions shows each request of a Spec that asks questions, and sends none. A server need
// not be there.
func Questions(ctx context.Context, s *spec.Spec, h *Host, see func(*workload.Request) error) (*journal.Task, error) {
	r, err := dryRun(ctx, s, h)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if r.task == nil {
		return nil, usage.Errorf("task", "is needed: the run asks no questions")
	}
	for {
		w, err := r.dataset.Next()
		if errors.Is(err, io.EOF) {
			return r.task, ctx.Err()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = see(w)
		}
		if err != nil {
			return nil, err
		}
	}
}
