package rules

import (
	"fmt"
	"time"
)

const (
	commandOf  = "InferenceX 843c6254, benchmarks/benchmark_lib.sh"
	validateOf = "InferenceX 843c6254, utils/agentic/validation/validate_agentic_result.py"
	matrixOf   = "InferenceX 843c6254, utils/matrix_logic/validation.py"
	goldenOf   = "InferenceX 843c6254, golden_al_distribution"
)

// inferenceX is the command that InferenceX runs, and its gates. What only its recipes know (image, cluster) is not judged.
func inferenceX() Set {
	return Set{InferenceX, "InferenceX's agentic coding", append(replayed(),
		Rule{"tree_idle_cap", "Time in which a whole trace is idle is cut to 300 s.", commandOf, false, func(f *Facts) (State, string) { return isSpan(f, keyTreeCap, 300*time.Second) }},
		Rule{"all_traces", "All 393 traces of the corpus are used.", commandOf, false, func(f *Facts) (State, string) {
			n, known := f.settings.number(keyTrees)
			switch {
			case !known:
				return unset(keyTrees)
			case n == 0:
				return Met, "all"
			}
			return met(n >= 393), fmt.Sprintf("the first %g", n)
		}},
		Rule{"start", "Traces begin between 25 % and 75 % of their time.", commandOf, false, start},
		Rule{"warmup", "After the primers each lane sends 10 more requests of one token.", commandOf, false, func(f *Facts) (State, string) { return isNumber(f, keyWarm, 10) }},
		Rule{"duration", "The load lasts 3600 s; 1200 s is its fast mode, which is not published.", matrixOf, false, func(f *Facts) (State, string) { return atLeast(f, time.Hour) }},
		Rule{"seed", "The seed is 42.", commandOf, false, func(f *Facts) (State, string) {
			return met(f.Run.Options.Seed == 42), fmt.Sprint(f.Run.Options.Seed)
		}},
		Rule{"server_token_counts", "Tokens are those that the server counts.", commandOf, true, func(f *Facts) (State, string) {
			return met(f.Counted == f.Completed), fmt.Sprintf("%d of %d answers", f.Counted, f.Completed)
		}},
		Rule{"completed", "At least one request completed.", validateOf, true, func(f *Facts) (State, string) {
			return met(f.Completed > 0), fmt.Sprint(f.Completed)
		}},
		Rule{"errors", "At most 10 % of the requests that ended failed.", validateOf, true, func(f *Facts) (State, string) {
			return met(f.Failed*10 <= f.Completed+f.Failed), shareOf(f.Failed, f.Completed+f.Failed)
		}},
		Rule{"speculative_decoding", "Speculative decoding accepts drafts synthetically, at the committed length.", goldenOf, true, func(f *Facts) (State, string) {
			if !f.Drafts {
				return Met, "no drafts were seen"
			}
			return Unknown, "the server made drafts; how it accepts them can't be seen from outside"
		}},
		overflow(), finished(),
	)}
}

func start(f *Facts) (State, string) {
	low, known := f.settings.number(keyStartMin)
	high, too := f.settings.number(keyStartMax)
	if !known || !too {
		return unset(keyStartMin)
	}
	return met(low == 0.25 && high == 0.75), fmt.Sprintf("%g to %g %%", 100*low, 100*high)
}

func isNumber(f *Facts, key string, want float64) (State, string) {
	v, known := f.settings.number(key)
	if !known {
		return unset(key)
	}
	return met(v == want), fmt.Sprintf("%g", v)
}
