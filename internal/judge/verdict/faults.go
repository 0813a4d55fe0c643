package verdict

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/outside"
)

// faultsGroup are the checks of faults that were made on purpose. What these did to users is what the run measures: the verdict
// is of what lies outside.
const faultsGroup = "faults"

// forgiven are checks whose figure a fault on purpose makes bad: nobody can tell then what else would have.
var forgiven = []string{
	"rate", "ramp_drain", "growing", "connections", "bursts", "foreign_requests", "repeated_work", "server_prompt_tokens", "server_output_tokens",
	"server_ttft", "server_e2el", "preemptions", "slow_replica",
}

// forgive has a check that a fault explains say so, and makes it no doubt about the run.
func (f *facts) forgive(name string, k *Check) {
	if !k.Level.Bad() || !slices.Contains(forgiven, name) || !f.felt() {
		return
	}
	k.Level = Noted
	k.Sentence += "; the faults on purpose are part of it"
	k.Hint = "look at a run without faults"
}

// felt says that a fault had an effect.
func (f *facts) felt() bool {
	return f.recovery != nil && slices.ContainsFunc(f.recovery.Episodes, func(e recovery.Episode) bool { return e.State != recovery.NoEffect || e.Lost > 0 })
}

// stopped says that servers were stopped or started on purpose: by a fault, or perhaps by a command of the user's.
func (f *facts) stopped() bool {
	if f.recovery == nil {
		return false
	}
	for i := range f.recovery.Episodes {
		for _, fault := range f.recovery.Episodes[i].Faults {
			switch fault.Do {
			case "kill", "drain", "start", "scale", "command":
				return true
			}
		}
	}
	return false
}

// lostBy are the requests that faults made fail.
func (f *facts) lostBy() map[journal.Outcome]int {
	if f.recovery == nil {
		return nil
	}
	return f.recovery.LostBy()
}

// firstFault is when the first one began.
func (f *facts) firstFault() (at int64, ok bool) {
	if f.recovery == nil || len(f.recovery.Episodes) == 0 {
		return 0, false
	}
	return int64(f.recovery.Episodes[0].Faults[0].At * 1e9), true
}

// faultsMade says what was made, and that the verdict leaves it out.
func faultsMade(f *facts, l limits) Check {
	r := f.recovery
	made, not := r.Faults(), len(r.NotDone)
	figure := fmt.Sprintf("%d made, %d not", made, not)
	lost, _ := r.Lost()
	words := fmt.Sprintf("%s made on purpose; what came of that is not held against the run (%s lost)", were(made, "fault"), counted(lost, "request"))
	if not > 0 {
		first := &r.NotDone[0]
		k := found(l, float64(not), figure, "%s not made, the first (%s) since: %s; %s", were(not, "fault"), outside.Word(first.Do), outside.Sentence(first.Error), words)
		k.Effect = effect(k, "the run is not the one that was planned")
		return k.brief("%s not made as planned", were(not, "fault"))
	}
	k := found(l, 0, figure, "%s", words)
	if r.Unknown != "" {
		k.Level, k.Sentence = Noted, k.Sentence+"; how long recovery took is not known: "+r.Unknown
	}
	return k
}

// were is a count in a sentence of what happened.
func were(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return counted(n, noun) + " were"
}
