package bench

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/load"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/usage"
)

// untilPrompts bounds a run with --until that has no other bound: so many requests
// are measured one by one.
const untilPrompts = measure.RowLimit

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

// checkUntil reads the goals that end a run. They need a load that stays the same and
// that can be stopped.
func (s *Spec) checkUntil() error {
	if s.Until == "" {
		return nil
	}
	if _, err := condition.Parse(s.Until, condition.Width); err != nil {
		return usage.Errorf("until", "%v", err)
	}
	if by := s.paceKind().By; by != "" {
		return usage.Errorf("until", "can't be used together with %s: a number has an interval only while the load stays the same", option.FlagName(pace.Fields(), by))
	}
	if s.SelfTimed() {
		return usage.Errorf("until", "can't be used with --dataset-name %s, which is sent at its own times: a number has an interval only while the load stays the same", s.DatasetName)
	}
	if math.IsInf(s.Rate(), 1) && !s.concurrent() {
		return usage.Errorf("until", "has nothing to stop where all requests are sent at once").WithHint("give --max-concurrency or --request-rate")
	}
	return nil
}

func (s *Spec) checkGiveUp() error {
	if s.GiveUp == "" {
		return nil
	}
	switch _, err := slo.Parse(s.GiveUp); {
	case err != nil:
		return usage.Errorf("give-up", "%v", err)
	case s.Duration == 0:
		return usage.Errorf("give-up", "needs --duration: what can still be met depends on the time left")
	case s.Until != "":
		return usage.Errorf("give-up", "can't be used together with --until")
	}
	return nil
}
