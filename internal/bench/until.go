package bench

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/load"
)

// stoppedFor is why the run ended as planned, where there were several ways.
func (r *Run) stoppedFor(res *load.Result) string {
	if r.Until != "" && res.Stopped == "" && res.Interrupted == "" {
		return journal.BoundReached
	}
	return res.Stopped
}

// watch is what may end the run before its time; nil: nothing.
func (r *Run) watch() load.Watch {
	options := r.options()
	var first load.Watch
	switch {
	case r.Until != "":
		goals, _ := condition.Parse(r.Until, condition.Width) // it was checked
		first = measure.NewUntil(&options, goals)
	case r.GiveUp != "":
		objective, _ := slo.Parse(r.GiveUp) // it was checked
		first = slo.NewGiveUp(&options, objective, r.Duration)
	}
	switch {
	case r.host.Ended == nil:
		return first
	case first == nil:
		return ended(r.host.Ended)
	}
	return watchBoth{first, r.host.Ended}
}

// watchBoth is a watch beside which somebody sees what has ended.
type watchBoth struct {
	load.Watch
	see func(*journal.Request)
}

func (w watchBoth) Ended(q *journal.Request) bool {
	w.see(q)
	return w.Watch.Ended(q)
}

// ended is a watch that ends nothing.
type ended func(*journal.Request)

func (f ended) Ended(q *journal.Request) bool { f(q); return false }

func (ended) Judge() string { return "" }
