package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/outside"
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

// groupRow is a row of the table of groups.
const groupRow = "%-14s%9s%7s%8s%8s%9s%9s%9s"

// mostShown is how many groups the console shows. The result has all.
const mostShown = 10

// groups prints the same numbers by turn or by adapter, where there are two at least.
func (c *console) groups(title string, g *measure.Groups) {
	all := g.All()
	if len(all) < 2 {
		return
	}
	c.center(" "+title+" ", "-")
	c.line(groupRow, "", "requests", "failed", "prompt", "cached", "TTFT p50", "TTFT p90", "TPOT p50")
	shown, rest := shownGroups(g)
	for i := range shown {
		s := &shown[i]
		c.line(groupRow, groupName(g, s), strconv.Itoa(s.Requests), strconv.Itoa(s.Failed), promptWord(&s.Prompt), cachedWord(s),
			carriedMillis(&s.TTFT, 50, s.TTFT.P50), carriedMillis(&s.TTFT, 90, s.TTFT.P90), carriedMillis(&s.TPOT, 50, s.TPOT.P50))
	}
	if slices.ContainsFunc(shown, func(one measure.Group) bool { return partlyKnown(&one) }) {
		c.line("* of the requests of which the server told it")
	}
	if rest > 0 {
		c.line("… and %d more, in the JSON", rest)
	}
}

// shownGroups are those that fit: of turns the first, of adapters those that were asked
// for most, and the group of all further ones.
func shownGroups(g *measure.Groups) (shown []measure.Group, rest int) {
	shown = slices.Clone(g.Each)
	if len(shown) > 0 && shown[0].Turn == 0 {
		slices.SortStableFunc(shown, func(a, b measure.Group) int { return cmp.Compare(b.Requests, a.Requests) })
	}
	if len(shown) > mostShown {
		shown, rest = shown[:mostShown], len(shown)-mostShown
	}
	if g.More != nil {
		shown = append(shown, *g.More)
	}
	return shown, rest
}

func groupName(g *measure.Groups, one *measure.Group) string {
	name := outside.Word(g.Name(one))
	const most = 13
	if short := []rune(name); len(short) > most {
		return string(short[:most-1]) + "…"
	}
	return name
}

func promptWord(p *measure.PromptLengths) string {
	if p.Known == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", p.Mean)
}

// cachedWord is the share of the prompts that the server found in its cache, or a
// question mark where it does not say.
func cachedWord(g *measure.Group) string {
	v, ok := g.Cached.Share()
	switch {
	case !ok:
		return "?"
	case partlyKnown(g):
		return fmt.Sprintf("%.1f %%*", v*100)
	}
	return fmt.Sprintf("%.1f %%", v*100)
}

// partlyKnown says that the server told of some requests only what it had cached.
func partlyKnown(g *measure.Group) bool { return g.Cached.Known > 0 && g.Cached.Known < g.Completed }

// carriedMillis is a percentile, or a dash where the values are too few for it.
func carriedMillis(l *measure.GroupLatency, p, v float64) string {
	if l.Count == 0 || int64(l.Count) < verdict.Needs(p) {
		return "-"
	}
	return millis(v)
}
