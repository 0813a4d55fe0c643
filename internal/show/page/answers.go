package page

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/saturation"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/show/section"
)

// answers are what a reader wants to know first: may I trust it, how much can it
// do, and how much within the limits.
func answers(runs []section.Run, limits slo.SLO) []Answer {
	out := []Answer{trust(runs)}
	best := highest(runs, nil)
	a := Answer{Title: "Highest throughput", Text: "no request succeeded", Class: "none"}
	if best != nil {
		a = answered(a.Title, best, len(runs))
		if len(runs) > 1 {
			s := saturationOf(best, runs)
			a.Notes = append(a.Notes, s.Title()+"; "+s.Words(loadUnit(best.Result))+".")
		}
	}
	out = append(out, a)
	a = Answer{Title: "Highest within the SLO", Text: "no SLO was given", Class: "none", Notes: []string{`Give one with --slo "p99_ttft<=200ms and p99_itl<=50ms".`}}
	if limits != nil {
		a.Text, a.Notes = "no run kept it", []string{limits.String()}
		if best := highest(runs, limits); best != nil {
			a = answered(a.Title, best, len(runs))
			a.Notes = append(a.Notes, "kept: "+limits.String())
		}
	}
	return append(out, a)
}

func answered(title string, run *section.Run, runs int) Answer {
	r := run.Result
	a := Answer{Title: title, Text: short(r.OutputThroughput) + " output tok/s", Class: "plain", Notes: []string{
		fmt.Sprintf("%s: %s, %s req/s, p99 TTFT %s ms, p99 between chunks %s ms", run.Name, section.Load(r), short(r.RequestThroughput), short(section.Tabled(r, "p99", "ttft")), short(section.Tabled(r, "p99", "itl"))),
	}}
	if runs == 1 {
		a.Notes = append(a.Notes, "One run shows what the server did, not the most that it can do.")
	}
	if run.Verdict != nil && run.Verdict.Level != verdict.TrustValid {
		a.Notes = append(a.Notes, "Its verdict is "+string(run.Verdict.Level)+".")
	}
	return a
}

// saturationOf says whether the best run is the most that the server can do, by the runs
// that differ from it in their load alone, as far as their options tell.
func saturationOf(best *section.Run, runs []section.Run) saturation.Saturation {
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
		if r.Completed == 0 || alike(r) != alike(best.Result) || runs[i].Invalid() && !best.Invalid() {
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
	var best *section.Run
	for i := range runs {
		r := &runs[i]
		if r.Result.Completed == 0 || !section.Keeps(limits, r.Result) {
			continue
		}
		switch {
		case best == nil, best.Invalid() && !r.Invalid():
			best = r
		case best.Invalid() == r.Invalid() && r.Result.OutputThroughput > best.Result.OutputThroughput:
			best = r
		}
	}
	return best
}

func trust(runs []section.Run) Answer {
	counts := map[verdict.Trust]int{}
	for i := range runs {
		if runs[i].Verdict != nil {
			counts[runs[i].Verdict.Level]++
		}
	}
	a := Answer{Title: "Verdict", Text: "not judged", Class: "none"}
	var parts []string
	for _, level := range []verdict.Trust{verdict.TrustInvalid, verdict.TrustSuspect, verdict.TrustValid} {
		if counts[level] == 0 {
			continue
		}
		if len(parts) == 0 {
			a.Text, a.Class = string(level), section.LevelClass(string(level))
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[level], level))
	}
	if len(runs) > 1 {
		a.Text = strings.Join(parts, ", ")
		return a
	}
	if v := runs[0].Verdict; v != nil {
		for _, name := range v.Reasons {
			if c := v.Check(name); c != nil {
				a.Notes = append(a.Notes, c.Name+": "+c.Sentence)
			}
		}
		if len(v.Reasons) == 0 {
			a.Notes = []string{"No check found anything that spoils the numbers."}
		}
	}
	return a
}
