package page

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/saturation"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/section"
	"github.com/inferometer/inferometer/internal/show/table"
)

// best are what several runs are asked for: how much the server can do, and how much within the limits.
func best(runs []section.Run, limits slo.SLO) []Card {
	c := Card{Title: "Highest throughput", Text: "none", Notes: []string{nothing}}
	if top := highest(runs, nil); top != nil {
		c = topCard(c.Title, top)
		s := saturationOf(top, runs)
		c.Notes = append(c.Notes, s.Title()+"; "+s.Words(loadUnit(top.Result))+".")
	}
	list := []Card{c}
	if limits != nil {
		c = Card{Title: "Highest within the SLO", Text: "no run kept it", Class: table.Bad, Notes: []string{limits.String()}}
		if top := highest(runs, limits); top != nil {
			c = topCard(c.Title, top)
			c.Notes = append(c.Notes, "kept: "+limits.String())
		}
		list = append(list, c)
	}
	failed, all := 0, 0
	for i := range runs {
		failed, all = failed+runs[i].Result.Failed, all+max(runs[i].Result.Requests, runs[i].Result.Completed+runs[i].Result.Failed)
	}
	c = Card{Title: "Failures, all runs", Text: counted(failed), Unit: "of " + counted(all)}
	if failed > 0 {
		c.Class = table.Bad
	}
	return append(list, c)
}

func topCard(title string, run *section.Run) Card {
	r := run.Result
	c := Card{Title: title, Text: short(r.OutputThroughput), Unit: "output tok/s", Notes: []string{
		fmt.Sprintf("%s: %s, %s req/s, p99 TTFT %s ms, p99 between chunks %s ms", clip(run.Name), section.Load(r), short(r.RequestThroughput), short(section.Tabled(r, "p99", "ttft")), short(section.Tabled(r, "p99", "itl"))),
	}}
	if run.Verdict != nil && run.Verdict.Level != verdict.TrustValid {
		c.Notes = append(c.Notes, "Its verdict is "+string(run.Verdict.Level)+".")
	}
	return c
}

// saturationOf says whether the best run is the most that the server can do, by the runs
// that differ from it in their load alone, as far as their options tell.
func saturationOf(top *section.Run, runs []section.Run) saturation.Saturation {
	alike := func(r *measure.Result) [6]string {
		o := &r.Run.Options
		limit := "" // of an open loop
		if o.RequestRate > 0 {
			limit = fmt.Sprint(o.MaxConcurrency)
		}
		return [6]string{o.BaseURL, o.Backend, o.ModelID, o.Dataset, loadUnit(r), limit}
	}
	var loads []saturation.Load
	for i := range runs {
		r := runs[i].Result
		if r.Completed == 0 || alike(r) != alike(top.Result) || runs[i].Invalid() && !top.Invalid() {
			continue
		}
		at := r.Run.Options.RequestRate
		if at == 0 {
			at = float64(r.Run.Options.MaxConcurrency)
		}
		loads = append(loads, saturation.Load{At: at, Throughput: r.OutputThroughput})
	}
	return saturation.Of(loads)
}

func loadUnit(r *measure.Result) string {
	if r.Run.Options.RequestRate > 0 {
		return "rate"
	}
	return "concurrency"
}

// highest is the run with the most output tokens a second among those that keep the
// limits. An INVALID one only counts where there is no other.
func highest(runs []section.Run, limits slo.SLO) *section.Run {
	var top *section.Run
	for i := range runs {
		r := &runs[i]
		if r.Result.Completed == 0 || !section.Keeps(limits, r.Result) {
			continue
		}
		switch {
		case top == nil, top.Invalid() && !r.Invalid():
			top = r
		case top.Invalid() == r.Invalid() && r.Result.OutputThroughput > top.Result.OutputThroughput:
			top = r
		}
	}
	return top
}
