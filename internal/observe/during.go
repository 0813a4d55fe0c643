package observe

import (
	"context"

	"github.com/inferometer/inferometer/internal/journal"
)

// During is an observer that opens something, and stops it when the load is over.
func During(open func(*Run) (stop func())) Observer { return &during{open: open} }

type during struct {
	Base
	open func(*Run) (stop func())
	stop func()
}

// Open implements Observer.
func (d *during) Open(_ context.Context, r *Run) error { d.stop = d.open(r); return nil }

// Stop implements Observer.
func (d *during) Stop(context.Context, *journal.End) error {
	if d.stop != nil {
		d.stop()
	}
	return nil
}
