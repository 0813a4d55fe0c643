package report

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setConversations adds what was measured of conversations as a whole; a run without
// any has no such key.
func setConversations(o *object, c *measure.Conversations) {
	if c == nil {
		return
	}
	o.Set("conversations", object{
		{"begun", c.Begun},
		{"complete", c.Complete},
		{"failed", c.Failed},
		{"abandoned", c.Abandoned},
		{"open", c.Open},
		{"turns", c.Turns},
		{"throughput", c.Rate},
		{"time", groupLatency(&c.Time)},
		{"busy_time", groupLatency(&c.Busy)},
		{"mean_think_ms", orUnknown(c.Complete, c.Think)},
		{"turns_complete", amountsObject(&c.TurnsEach)},
		{"prompt_tokens", amountsObject(&c.PromptTokens)},
		{"output_tokens", amountsObject(&c.OutputTokens)},
		{"cached_share", amountsObject(&c.CachedShare)},
	})
}

func amountsObject(a *measure.Amounts) object {
	v := func(v float64) any { return orUnknown(a.Count, v) }
	return object{{"known", a.Count}, {"mean", v(a.Mean)}, {"p50", v(a.P50)}, {"p90", v(a.P90)}, {"p99", v(a.P99)}, {"max", v(a.Max)}}
}
