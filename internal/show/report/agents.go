package report

import (
	"maps"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setAgents adds each client of a fleet and how far they lie apart; a run of one client has
// no such key.
func setAgents(o *object, a *measure.Agents) {
	if a == nil {
		return
	}
	list := make([]object, len(a.Each))
	for i := range a.Each {
		list[i] = agentObject(&a.Each[i])
	}
	o.Set("agents", object{
		{"run", a.Run},
		{"planned", a.Planned},
		{"completed", a.Completed},
		{"failed", a.Failed},
		{"lost", a.Lost},
		{"unsent", a.Unsent},
		{"skipped", a.Skipped},
		{"start_spread_ms", a.StartSpread},
		{"offset_error_ms", a.OffsetError},
		{"each", list},
		{"skew", a.Skew},
	})
}

func agentObject(a *measure.AgentResult) object {
	told := a.Agent
	labels := object{}
	for _, k := range slices.Sorted(maps.Keys(told.Labels)) {
		labels.Set(k, told.Labels[k])
	}
	return object{
		{"id", told.ID},
		{"name", told.Name},
		{"version", told.Version},
		{"address", told.Address},
		{"labels", labels},
		{"share", told.Share},
		{"gone", orNull(told.Gone)},
		{"planned", told.Planned},
		{"requests", a.Requests},
		{"completed", a.Completed},
		{"failed", a.Failed},
		{"lost", a.Lost},
		{"unsent", a.Unsent},
		{"refused_records", a.Refused},
		{"outcomes", outcomesObject(a.Outcomes)},
		{"total_output_tokens", a.OutputTokens},
		{"request_throughput", a.RequestThroughput},
		{"output_throughput", a.OutputThroughput},
		{"ttft", a.TTFT},
		{"tpot", a.TPOT},
		{"e2el", a.E2EL},
		{"start_skew_ms", orMissing(told.Read, float64(told.SkewNs)/1e6)},
		{"clock_offset_ms", orMissing(told.OffsetErrorNs >= 0, float64(told.OffsetNs)/1e6)},
		{"clock_error_ms", orMissing(told.OffsetErrorNs >= 0, float64(told.OffsetErrorNs)/1e6)},
		{"cost", a.Cost},
		{"environment", told.Environment},
	}
}

func orMissing(known bool, v float64) any {
	if !known {
		return nil
	}
	return v
}
