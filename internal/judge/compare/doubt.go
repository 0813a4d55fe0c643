package compare

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Doubt is a reason why sides can't be held against each other as they are.
type Doubt struct {
	Side     string `json:"side"`
	Reason   string `json:"reason"` // in one word: missing, workload, tokens, verdict, model, …
	Severe   bool   `json:"severe"` // not comparable, rather than to be kept in mind
	Sentence string `json:"sentence"`
}

// doubts looks at each side by itself, and then at each against the first.
func doubts(sides []Side) []Doubt {
	var out []Doubt
	for i := range sides {
		s := &sides[i]
		var of []Doubt
		for j := range s.Runs {
			of = append(of, alone(s.Name, &s.Runs[j])...)
		}
		out = append(out, folded(of, len(s.Runs))...)
		if i > 0 && len(s.Runs) > 0 && len(sides[0].Runs) > 0 {
			out = append(out, against(s.Name, &sides[0].Runs[0], &s.Runs[0])...)
		}
	}
	return out
}

// folded makes one doubt of those that several repeats of a side share.
func folded(doubts []Doubt, runs int) []Doubt {
	var out []Doubt
	count := map[Doubt]int{}
	for _, d := range doubts {
		if count[d]++; count[d] == 1 {
			out = append(out, d)
		}
	}
	for i, d := range out {
		if runs > 1 {
			out[i].Sentence += fmt.Sprintf(" (%d of %d runs)", count[d], runs)
		}
	}
	return out
}

// alone is what is wrong with a run whatever it is compared with.
func alone(name string, r *result.Result) []Doubt {
	var out []Doubt
	f := &r.Facts
	if f.Nothing {
		out = append(out, Doubt{name, "missing", true, "no request completed: it has no latencies, and nothing can be said of the server"})
	} else if n := f.Missing(); n > 0 && n <= f.Lost { // what faults did is what was measured
		out = append(out, Doubt{name, "missing", false, fmt.Sprintf("%d of %d requests were lost by faults on purpose: its latencies are those of the others", n, f.Completed+n)})
	} else if n > 0 {
		total := max(f.Asked, f.Completed+n)
		out = append(out, Doubt{name, "missing", true, fmt.Sprintf(
			"only %d of %d requests completed: its numbers are those of another, smaller workload", f.Completed, total)})
	}
	switch f.Verdict {
	case "INVALID":
		out = append(out, Doubt{name, "verdict", true, "its own verdict is INVALID (" + strings.Join(f.Reasons, ", ") + ")"})
	case "SUSPECT":
		out = append(out, Doubt{name, "verdict", false, "its own verdict is SUSPECT (" + strings.Join(f.Reasons, ", ") + ")"})
	}
	return out
}

// against is what differs between a run and the first side's.
func against(name string, a, b *result.Result) []Doubt {
	var out []Doubt
	add := func(reason string, severe bool, format string, args ...any) {
		out = append(out, Doubt{name, reason, severe, fmt.Sprintf(format, args...)})
	}
	fa, fb := &a.Facts, &b.Facts
	if sentence := otherWorkload(fa, fb); sentence != "" {
		add("workload", false, "%s", sentence)
	}
	if pa, pb, ok := perRequest(fa, fb, func(f *result.Facts) int64 { return f.InputTokens }); ok {
		add("tokens", math.Abs(pb/pa-1) > 0.10, "its prompts have %.0f tokens a request, %s's %.0f (%+.0f %%): TTFT and throughput may differ by as much for that alone",
			pb, "the first side", pa, (pb/pa-1)*100)
	}
	if pa, pb, ok := perRequest(fa, fb, func(f *result.Facts) int64 { return f.OutputTokens }); ok {
		add("tokens", math.Abs(pb/pa-1) > 0.10, "its answers have %.0f tokens a request, %s's %.0f (%+.0f %%): E2EL and requests/s may differ by as much for that alone",
			pb, "the first side", pa, (pb/pa-1)*100)
	}
	for _, d := range []struct{ word, a, b string }{
		{"model", base(fa.Model), base(fb.Model)}, {"dataset", fa.Dataset, fb.Dataset}, {"hardware", fa.Hardware, fb.Hardware},
	} {
		if d.a != "" && d.b != "" && d.a != d.b {
			add(d.word, false, "another %s: %s, against %s", d.word, d.b, d.a)
		}
	}
	if fa.Concurrency != fb.Concurrency && fa.Concurrency > 0 && fb.Concurrency > 0 {
		add("concurrency", false, "concurrency %d, against %d", fb.Concurrency, fa.Concurrency)
	}
	if fa.Rate != fb.Rate && (a.Tool == b.Tool) {
		add("rate", false, "rate %s, against %s", rate(fb.Rate), rate(fa.Rate))
	}
	if sentence := sameServer(a, b); sentence != "" {
		add("same_server", false, "it looks like the same server as the first side's: %s", sentence)
	}
	return out
}

// perRequest are the tokens of a request on both sides, if they differ by more than one percent.
func perRequest(fa, fb *result.Facts, tokens func(*result.Facts) int64) (a, b float64, differ bool) {
	if fa.Completed == 0 || fb.Completed == 0 || tokens(fa) == 0 || tokens(fb) == 0 {
		return 0, 0, false
	}
	a, b = float64(tokens(fa))/float64(fa.Completed), float64(tokens(fb))/float64(fb.Completed)
	return a, b, math.Abs(b/a-1) > 0.01
}

func rate(v float64) string {
	if v == 0 {
		return "unbounded"
	}
	return fmt.Sprintf("%g/s", v)
}

// base is a model's name without its folder: the same file lies elsewhere on another machine.
func base(model string) string {
	if model == "" {
		return ""
	}
	return path.Base(strings.TrimRight(model, "/"))
}

// footnotes are the notes at the foot of a table: where tools mean different things by
// one word, and what the intervals rest on.
func footnotes(sides []Side) []string {
	var tools []result.Tool
	var out []string
	single, several := false, false
	for i := range sides {
		single, several = single || len(sides[i].Runs) == 1, several || len(sides[i].Runs) > 1
		for j := range sides[i].Runs {
			r := &sides[i].Runs[j]
			if slices.Contains(tools, r.Tool) {
				continue
			}
			tools = append(tools, r.Tool)
			for _, n := range r.Notes {
				out = append(out, fmt.Sprintf("%s: %s", r.Tool, n))
			}
		}
	}
	if len(tools) < 2 {
		out = nil // one tool means the same by its words on all sides
	}
	if single && several {
		out = append(out, "real needs two runs or more on both sides: a single run has the spread of the others' repeats")
	} else if single {
		out = append(out, fmt.Sprintf("one run per side: a difference here may be drift between runs, which the intervals allow for (%.1f %%, a guess); repeat each side to know", 100*priorDrift))
	}
	return out
}
