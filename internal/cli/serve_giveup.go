package cli

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/send/load"
)

// defineGiveUp is for the probes of find: nobody else would want half a run.
func defineGiveUp(set *argv.Set, o *serveOptions, g argv.Option) {
	set.String(&o.GiveUp, "give-up", "", "Stop as soon as this SLO can't be met any more. Needs --duration.", g, argv.WholeName(), argv.Metavar("SLO"), argv.Hidden())
}

func (o *serveOptions) checkGiveUp(set *argv.Set) error {
	if !set.Seen("give-up") {
		return nil
	}
	objective, err := slo.Parse(o.GiveUp)
	switch {
	case err != nil:
		return argv.Errorf("give-up", "%v", err)
	case o.Duration == 0:
		return argv.Errorf("give-up", "needs --duration: what can still be met depends on the time left")
	case o.goals != nil:
		return argv.Errorf("give-up", "can't be used together with --until")
	}
	o.giveUp = objective
	return nil
}

// watch is what may end the run before its time; nil: nothing.
func (r *serveRun) watch() load.Watch {
	options := r.options()
	switch {
	case r.goals != nil:
		return measure.NewUntil(&options, r.goals)
	case r.giveUp != nil:
		return measure.NewGiveUp(&options, r.giveUp, r.Duration)
	}
	return nil
}
