package bench

import (
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
)

// until is what may end the run before its time; nil: nothing.
func until(r *prepare.Ready) load.Watch {
	options := r.Options()
	switch {
	case r.Until != "":
		goals, _ := condition.Parse(r.Until, condition.Width) // it was checked
		return measure.NewUntil(&options, goals)
	case r.GiveUp != "":
		objective, _ := slo.Parse(r.GiveUp) // it was checked
		return slo.NewGiveUp(&options, objective, r.Duration)
	}
	return nil
}
