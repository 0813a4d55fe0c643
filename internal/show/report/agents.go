package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// Accounting is what became of the requests of a fleet's list, in words.
func Accounting(a *measure.Agents) string {
	sum := a.Completed + a.Failed + a.Lost + a.Unsent + a.Skipped
	planned := a.Planned
	if planned == 0 {
		planned = sum // the list had no end that was known before
	}
	words := fmt.Sprintf("%d planned = %d complete + %d failed + %d lost + %d unsent", planned, a.Completed, a.Failed, a.Lost, a.Unsent)
	if a.Skipped > 0 {
		words += fmt.Sprintf(" + %d turns skipped", a.Skipped)
	}
	if sum != planned {
		words += fmt.Sprintf(": %d are not accounted for", planned-sum)
	}
	return words
}

// AgentNotes is what is said of an agent beside its numbers.
func AgentNotes(a *measure.AgentResult) string {
	var words []string
	if a.Agent.Read {
		words = append(words, fmt.Sprintf("began %+.1f ms", float64(a.Agent.SkewNs)/1e6))
	}
	if a.Agent.OffsetErrorNs >= 0 {
		words = append(words, fmt.Sprintf("clock ±%.2f ms", float64(a.Agent.OffsetErrorNs)/1e6))
	}
	if a.Cost != nil {
		words = append(words, fmt.Sprintf("CPU %.0f %%", a.Cost.CPUShare*100))
	}
	if a.Failed+a.Lost+a.Unsent > 0 {
		words = append(words, outcomes(a.Outcomes))
	}
	if a.Agent.Gone != "" {
		words = append(words, "gone: "+a.Agent.Gone)
	}
	return strings.Join(words, ", ")
}

// agents prints each client of a fleet, how far they lie apart, and what became of the list.
func (c *console) agents(a *measure.Agents) {
	if a == nil {
		return
	}
	c.center(fmt.Sprintf(" Fleet of %d agents ", len(a.Each)), "-")
	c.row("Requests:", Accounting(a))
	c.line(targetRow, "", "requests", "tok/s", "TTFT p50", "TTFT p99", "TPOT p50")
	shown := shownAgents(a)
	for _, i := range shown {
		e := &a.Each[i]
		c.line(targetRow, strconv.Itoa(i), strconv.Itoa(e.Requests), fmt.Sprintf("%.1f", e.OutputThroughput),
			millisOf(&e.TTFT, e.TTFT.P50), carriedMillis(&measure.GroupLatency{Summary: e.TTFT}, 99, e.TTFT.P99), millisOf(&e.TPOT, e.TPOT.P50))
	}
	for _, i := range shown {
		e := &a.Each[i]
		name := e.Title
		if labels := e.Labels(); labels != "" {
			name += " (" + labels + ")"
		}
		c.row(fmt.Sprintf("Agent %d:", i), name+": "+AgentNotes(e))
	}
	if rest := len(a.Each) - len(shown); rest > 0 {
		c.line("… and %d more, in the JSON", rest)
	}
	if a.StartSpread != nil {
		c.row("Began within:", fmt.Sprintf("%.1f ms", *a.StartSpread))
	}
	if words := skewWords(&a.Skew); words != "" {
		c.row("Skew, max/min:", words)
	}
}

// shownAgents are those that the console has room for: the first, but those that lack
// something before all others.
func shownAgents(a *measure.Agents) []int {
	var bad, good []int
	for i := range a.Each {
		if e := &a.Each[i]; e.Failed+e.Lost+e.Unsent+e.Refused > 0 || e.Agent.Gone != "" {
			bad = append(bad, i)
		} else {
			good = append(good, i)
		}
	}
	shown := slices.Concat(bad[:min(len(bad), mostShown)], good[:min(len(good), mostShown)])
	shown = shown[:min(len(shown), mostShown)]
	slices.Sort(shown)
	return shown
}
