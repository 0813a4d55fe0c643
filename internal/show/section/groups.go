package section

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() {
	Add(atGroups, func(run *Run) *Section { return groups("turn", run.Result.ByTurn) })
	Add(atGroups, func(run *Run) *Section { return groups("adapter", run.Result.ByAdapter) })
}

// groups are the same numbers by turn or by adapter, where there are two at least.
func groups(what string, g *measure.Groups) *Section {
	all := slices.Clone(g.All())
	if len(all) < 2 {
		return nil
	}
	ms := number.Millis
	t := &table.Table{Title: "By " + what + "; latencies of the requests that succeeded, in ms", Brief: maxOnConsole, Columns: slices.Concat(
		table.Words(what), table.Numbers(number.Count, "requests", "failed", "prompt"), table.Numbers(number.Share, "cached"), wide(number.Count, "known"),
		wide(ms, "TTFT mean"), table.Numbers(ms, "TTFT p50", "TTFT p90"), wide(ms, "TTFT p99"), table.Numbers(ms, "TPOT p50"), wide(ms, "ITL p50", "E2EL p50", "E2EL p99"), wide(number.Rate, "tok/s"),
	)}
	if what == "adapter" { // those that were asked for most, and all others last
		each := all[:len(g.Each)]
		slices.SortStableFunc(each, func(a, b measure.Group) int { return cmp.Compare(b.Requests, a.Requests) })
	}
	partly := false
	for i := range all {
		one := &all[i]
		prompt, cached := math.NaN(), math.NaN()
		if one.Prompt.Known > 0 {
			prompt = one.Prompt.Mean
		}
		if v, ok := one.Cached.Share(); ok {
			cached = v
		}
		partly = partly || one.Cached.Known > 0 && one.Cached.Known < one.Completed
		ttft, tpot, itl, e2el := &one.TTFT.Summary, &one.TPOT.Summary, &one.ITL.Summary, &one.E2EL.Summary
		t.Add(table.Sentence(outside.Line(g.Name(one), maxName)), one.Requests, one.Failed, prompt, cached, one.Cached.Known,
			mean(ttft), percentile(ttft, 50, ttft.P50), percentile(ttft, 90, ttft.P90), percentile(ttft, 99, ttft.P99),
			percentile(tpot, 50, tpot.P50), percentile(itl, 50, itl.P50), percentile(e2el, 50, e2el.P50), percentile(e2el, 99, e2el.P99), one.OutputThroughput)
	}
	if g.More != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("Only %d %ss stand by themselves; the last line has all others together.", g.Bound, what))
	}
	if partly {
		t.Notes = append(t.Notes, "The cached share is of the requests of which the server told it.")
	}
	return &Section{ID: what + "s", Title: "By " + what, Tables: []*table.Table{t}}
}
