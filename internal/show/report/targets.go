package report

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setTargets adds each of several servers and how far they lie apart; a run
// against one has no such key.
func setTargets(o *object, t *measure.Targets) {
	if t == nil {
		return
	}
	list := make([]object, len(t.Each))
	for i := range t.Each {
		list[i] = targetObject(&t.Each[i])
	}
	o.Set("targets", object{{"balance", t.Balance}, {"each", list}, {"skew", t.Skew}})
}

func targetObject(t *measure.TargetResult) object {
	return object{
		{"url", t.URL},
		{"requests", t.Requests},
		{"share", t.Share},
		{"completed", t.Completed},
		{"failed", t.Failed},
		{"outcomes", outcomesObject(t.Outcomes)},
		{"total_input_tokens", t.InputTokens},
		{"total_output_tokens", t.OutputTokens},
		{"request_throughput", t.RequestThroughput},
		{"output_throughput", t.OutputThroughput},
		{"peak_concurrency", t.PeakConcurrency},
		{"ttft", t.TTFT},
		{"tpot", t.TPOT},
		{"e2el", t.E2EL},
	}
}
