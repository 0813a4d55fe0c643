package cli

import (
	"math"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/send/load"
)

// untilPrompts bounds a run with --until that has no other bound: so many requests
// are measured one by one.
const untilPrompts = measure.RowLimit

// checkUntil reads the goals of --until. They need a load that stays the same and
// that can be stopped.
func (o *serveOptions) checkUntil(set *argv.Set) error {
	if !set.Seen("until") {
		return nil
	}
	goals, err := condition.Parse(o.Until, condition.Width)
	if err != nil {
		return argv.Errorf("until", "%v", err)
	}
	o.goals = goals
	for _, way := range []struct {
		name  string
		given bool
	}{
		{"ramp-up-strategy", o.RampUpStrategy != ""},
		{"ramp-rate", o.RampRate != nil},
		{"stages", o.Stages != nil},
	} {
		if way.given {
			return argv.Errorf("until", "can't be used together with --%s: a number has an interval only while the load stays the same", way.name)
		}
	}
	if math.IsInf(o.RequestRate, 1) && o.MaxConcurrency == nil {
		return argv.Errorf("until", "has nothing to stop where all requests are sent at once").WithHint("give --max-concurrency or --request-rate")
	}
	return nil
}

// stoppedFor is why the run ended as planned, where there were several ways.
func (r *serveRun) stoppedFor(res *load.Result) string {
	if r.goals != nil && res.Stopped == "" && res.Interrupted == "" {
		return journal.BoundReached
	}
	return res.Stopped
}
