package bench

import (
	"context"
	"slices"

	"github.com/inferometer/inferometer/internal/eval/programs"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
)

// kinds are all observers that a Spec can ask for, in the order in which they are told. What is asked of the servers
// comes before who wants to know it.
var kinds = []func(context.Context, *prepare.Ready, *prepare.Host) (observe.Observer, error){
	newEarlier,
	observe.NewPower,
	observe.NewProcess,
	observe.NewScrape,
	observe.NewHardware,
	observe.NewProfiler,
	observe.NewSeen,
	observe.NewSaved,
	observe.NewAgain,
	programs.New,
}

// observers are those that a run has: what its Spec asks for, and what its host brings along.
func observers(ctx context.Context, drain <-chan struct{}, r *prepare.Ready, h *Host) (observe.List, error) {
	var list observe.List
	for _, new := range kinds {
		o, err := new(ctx, r, &h.Host)
		if err != nil {
			return nil, err
		}
		if o != nil {
			list = append(list, o)
		}
	}
	if faults := observe.NewFaults(r, drain, h.Do); faults != nil {
		list = slices.Insert(list, 0, faults) // what it leaves behind is mended before anybody asks the servers how it went
	}
	return append(list, h.Observers...), nil
}

// earlier puts the answers of a run that goes on into its new journal.
type earlier struct {
	observe.Base
	ready *prepare.Ready
}

func newEarlier(_ context.Context, r *prepare.Ready, _ *prepare.Host) (observe.Observer, error) {
	if r.Earlier == nil {
		return nil, nil
	}
	return &earlier{ready: r}, nil
}

// Start implements observe.Observer.
func (e *earlier) Start() error {
	e.ready.Earlier.Write(e.Run.Journal)
	return nil
}
