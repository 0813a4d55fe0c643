package report

import (
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setGroups adds the same numbers by turn or by adapter; a run without groups has no such key.
func setGroups(o *object, key string, g *measure.Groups) {
	if g == nil {
		return
	}
	each := make([]object, len(g.Each))
	for i := range g.Each {
		each[i] = groupObject(key, &g.Each[i])
	}
	out := object{{"each", each}}
	if g.More != nil {
		more := groupObject("", g.More)
		out = append(out, object{{"beyond", g.Bound}, {"more", more}}...)
	}
	o.Set(key, out)
}

func groupObject(key string, g *measure.Group) object {
	var o object
	switch key {
	case "by_turn":
		o.Set("turn", g.Turn)
	case "by_adapter":
		o.Set("adapter", g.Name)
	}
	share := any(nil)
	if v, ok := g.Cached.Share(); ok {
		share = v
	}
	return append(o, object{
		{"requests", g.Requests},
		{"completed", g.Completed},
		{"failed", g.Failed},
		{"total_output_tokens", g.OutputTokens},
		{"output_throughput", g.OutputThroughput},
		{"prompt_tokens", promptObject(&g.Prompt)},
		{"cached_tokens", object{{"known", g.Cached.Known}, {"total", orUnknown(g.Cached.Known, g.Cached.Tokens)}, {"share", share}}},
		{"ttft", groupLatency(&g.TTFT)},
		{"tpot", groupLatency(&g.TPOT)},
		{"itl", groupLatency(&g.ITL)},
		{"e2el", groupLatency(&g.E2EL)},
	}...)
}

// orUnknown is a number of those that were known; null where none was.
func orUnknown[N int | int64 | float64](known int, v N) any {
	if known == 0 {
		return nil
	}
	return v
}

func promptObject(p *measure.PromptLengths) object {
	return object{{"known", p.Known}, {"mean", orUnknown(p.Known, p.Mean)}, {"min", orUnknown(p.Known, p.Min)}, {"max", orUnknown(p.Known, p.Max)}}
}

// groupLatency is a summary with the percentiles that were asked for beyond it.
func groupLatency(l *measure.GroupLatency) object {
	o := object{
		{"mean_ms", l.Mean}, {"p50_ms", l.P50}, {"p90_ms", l.P90}, {"p99_ms", l.P99}, {"p999_ms", l.P999}, {"max_ms", l.Max}, {"count", l.Count},
	}
	for _, p := range l.Asked {
		o.Set("p"+percentileWord(p.P)+"_ms", p.Value)
	}
	if l.Error > 0 {
		o.Set("relative_error", l.Error)
	}
	return o
}
