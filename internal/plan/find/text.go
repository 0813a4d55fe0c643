package find

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/saturation"
	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/show/table"
)

// Verdict is how the SLO stood in a probe.
func Verdict(o *search.Observation) string {
	if why := o.Without(); why != "" {
		return "no evidence: " + why
	}
	word := "broken"
	if o.Holds() {
		word = "holds"
	}
	if o.GaveUp != "" {
		return word + ": " + o.GaveUp
	}
	if b := o.Binding(); b != nil {
		word += fmt.Sprintf(", %s at %s", b.Clause, percent(b.Use))
	}
	return word
}

// LoadText is a load in few digits.
func LoadText(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func percent(use *float64) string {
	switch {
	case use == nil:
		return "–"
	case *use > 99:
		return "> 9900 %"
	}
	return fmt.Sprintf("%.0f %%", *use*100)
}

// Noun is what is raised, in a sentence.
func Noun(vary string) string {
	if vary == Conversations {
		return "number of conversations"
	}
	return vary
}

// Text is the answer in words and tables, within the width of a screen; 0: of a file.
func (r *Report) Text(width int) string {
	var b strings.Builder
	title := fmt.Sprintf("The highest %s within an SLO, by %s", Noun(r.Vary), r.Map)
	if r.Map == "" && len(r.Results) > 0 {
		title = r.Sentence(&r.Results[0])
	}
	fmt.Fprintf(&b, "# %s\n\nThe SLO: %s\n", title, r.SLO)
	if r.Map != "" {
		r.capacityMap(&b, width)
	}
	for i := range r.Results {
		f := &r.Results[i]
		if r.Map != "" {
			fmt.Fprintf(&b, "\n## %s %s: %s\n", r.Map, f.Value, r.Sentence(f))
		}
		r.answer(&b, f, width)
		r.curve(&b, f, width)
	}
	return b.String()
}

// Sentence is the answer of a search.
func (r *Report) Sentence(f *Result) string {
	a, unit := &f.Answer, ""
	if r.Vary == Rate {
		unit = " req/s"
	}
	switch p := f.found(); {
	case p != nil && a.Confirmed && a.Low != nil && a.High != nil:
		return fmt.Sprintf("The highest %s within the SLO is %s%s (95 %%: %s)", Noun(r.Vary), LoadText(p.X), unit, Interval(a))
	case p != nil:
		return fmt.Sprintf("The highest %s within the SLO is not decided; it is at least %s%s", Noun(r.Vary), LoadText(p.X), unit)
	case a.High != nil:
		return fmt.Sprintf("The SLO holds at no %s that was tried, down to %s%s", Noun(r.Vary), LoadText(*a.High), unit)
	}
	return fmt.Sprintf("The highest %s within the SLO is not decided", Noun(r.Vary))
}

// capacityMap is one line for each value of the mapped flag.
func (r *Report) capacityMap(b *strings.Builder, width int) {
	t := table.Grid{Head: []string{r.Map, r.Vary, "95 % interval", "req/s", "output tok/s", "binds", "verdict"}, Keys: 1}
	for i := range r.Results {
		f := &r.Results[i]
		line := []string{f.Value, "none", Interval(&f.Answer), "–", "–", f.Answer.Binding, "–"}
		if p := f.found(); p != nil {
			line[1], line[3], line[4], line[6] = "**"+LoadText(p.X)+"**", fmt.Sprintf("%.2f", p.Numbers.Throughput), fmt.Sprintf("%.1f", p.Numbers.Output), f.Verdict
		}
		t.Body = append(t.Body, line)
	}
	b.WriteString("\n")
	t.Write(b, width)
}

// Interval is the edge in words.
func Interval(a *search.Answer) string {
	switch {
	case a.Low == nil && a.High == nil:
		return "–"
	case a.Low == nil:
		return "below " + LoadText(*a.High)
	case a.High == nil:
		return "above " + LoadText(*a.Low)
	}
	return LoadText(*a.Low) + " to " + LoadText(*a.High)
}

// answer says what was found, and what is missing from it.
func (r *Report) answer(b *strings.Builder, f *Result, width int) {
	a := &f.Answer
	line := func(format string, args ...any) { table.Line(b, "- ", fmt.Sprintf(format, args...), width) }
	b.WriteString("\n")
	if p := f.found(); p != nil {
		how := "not confirmed"
		if a.Confirmed {
			how = fmt.Sprintf("confirmed by a run of %.0f s", p.Seconds)
		}
		up := "It holds up to"
		if !a.Confirmed || a.High == nil {
			up = "It holds at least up to"
		}
		line(up+" **%s %s** (%s): %.2f req/s, %.1f output tok/s, mean end-to-end latency %.0f ms.", r.Vary, LoadText(p.X), how, p.Numbers.Throughput, p.Numbers.Output, p.Numbers.Latency)
		f.trust(line)
		if c := p.Across(); c != nil {
			line("As it was measured %s held; in the worst case of what the value may be off, it was at %s of its limit.", c.Clause, percent(c.Most))
		}
	} else if a.High != nil {
		line("It holds at no %s that was tried.", Noun(r.Vary))
	} else {
		line("No %s is known to hold, and none is known not to.", Noun(r.Vary))
	}
	switch {
	case a.Low == nil && a.High == nil:
	case a.Low == nil:
		line("The edge lies below %s.", LoadText(*a.High))
	case a.High == nil:
		line("The edge lies above %s: no %s that was tried was surely too much.", LoadText(*a.Low), Noun(r.Vary))
	case !a.Narrow:
		line("The edge, 95 %%: %s; wider than the ±%g %% asked for.", Interval(a), r.Tolerance*100)
	default:
		line("The edge, 95 %%: %s.", Interval(a))
	}
	f.binds(line)
	for _, p := range []struct {
		name string
		at   *float64
	}{{"Highest goodput", f.Goodput}, {"Highest throughput", f.Peak}, {"Knee of throughput against latency", f.Knee}} {
		if q := f.at(p.at); q != nil {
			goodput := ""
			if q.Numbers.Goodput != nil {
				goodput = fmt.Sprintf(", %.2f good req/s", *q.Numbers.Goodput)
			}
			most := ""
			if p.name == "Highest throughput" {
				most = " " + f.saturation(r.Vary)
			}
			line("%s: %s %s, %.2f req/s%s, %.1f output tok/s, %.0f ms.%s", p.name, r.Vary, LoadText(q.X), q.Numbers.Throughput, goodput, q.Numbers.Output, q.Numbers.Latency, most)
		}
	}
	costLines(line, "at the SLO's point", f.found())
	costLines(line, "at the highest throughput", f.at(f.Peak))
	if a.Reason != "" {
		line("Note: %s.", a.Reason)
	}
	line("%d probes in %.0f s.", a.Probes, a.Spent)
	if f.Earlier != nil {
		line("%s", f.Earlier.sentence(a.Probes))
	}
}

// binds says which clause is broken first, or how far all are from it.
func (f *Result) binds(line func(string, ...any)) {
	if f.Answer.Binding != "" {
		line("What binds: %s.", f.Answer.Binding)
		return
	}
	if p := f.found(); p != nil {
		if b := p.Binding(); b != nil && *b.Use > 0 {
			line("Nothing binds: at %s %s is at %s of its limit.", LoadText(p.X), b.Clause, percent(b.Use))
		}
	}
}

// saturation says whether the highest throughput is the most that the server can do. A
// probe that was left early shows a server that was filling up.
func (f *Result) saturation(vary string) string {
	var loads []saturation.Load
	for i := range f.Curve {
		if p := &f.Curve[i]; p.GaveUp == "" {
			loads = append(loads, saturation.Load{At: p.X, Throughput: p.Numbers.Output})
		}
	}
	s := saturation.Of(loads)
	return s.Title() + "; " + s.Words(vary) + "."
}

// trust is the verdict on the run that is the answer, with its reasons.
func (f *Result) trust(line func(string, ...any)) {
	switch {
	case f.Verdict == "":
		line("Verdict on it: not judged.")
	case len(f.Reasons) == 0:
		line("Verdict on it: %s.", f.Verdict)
	default:
		line("Verdict on it: %s because of %s.", f.Verdict, strings.Join(f.Reasons, "; "))
	}
}

// costLines says what tokens cost at a point, where a price or a power was given.
func costLines(line func(string, ...any), where string, p *search.CurvePoint) {
	if p == nil || p.Numbers.Cost == nil {
		return
	}
	c := p.Numbers.Cost
	if c.PerMillionOutput != nil {
		line("Cost %s: %.4g per million output tokens, %.4g per million tokens.", where, *c.PerMillionOutput, *c.PerMillionTokens)
	}
	switch {
	case c.Power == nil:
	case c.Power.JoulesPerOutput != nil:
		line("Energy %s: %.4g J per output token, %.4g J per token.", where, *c.Power.JoulesPerOutput, *c.Power.JoulesPerToken)
	default:
		line("Energy %s: unknown: %s.", where, c.Power.Reason)
	}
}

// curve is one line for each load.
func (r *Report) curve(b *strings.Builder, f *Result, width int) {
	t := table.Grid{Head: []string{r.Vary, "SLO", "of the limit", "req/s", "good req/s", "output tok/s", "mean e2el, ms", "probes", "verdict"}, Keys: 1}
	for i := range f.Curve {
		p := &f.Curve[i]
		word := "broken"
		if p.Holds {
			word = "holds"
		}
		switch {
		case p.Without() != "":
			word = "no evidence"
		case p.GaveUp != "":
			word = "left early"
		}
		var uses []string
		for _, c := range p.Clauses {
			uses = append(uses, c.Clause+" "+percent(c.Use))
		}
		good := "–"
		if p.Numbers.Goodput != nil {
			good = fmt.Sprintf("%.2f", *p.Numbers.Goodput)
		}
		t.Body = append(t.Body, []string{
			LoadText(p.X), word, strings.Join(uses, ", "), fmt.Sprintf("%.2f", p.Numbers.Throughput), good,
			fmt.Sprintf("%.1f", p.Numbers.Output), fmt.Sprintf("%.0f", p.Numbers.Latency), strconv.Itoa(p.Probes), p.Numbers.Verdict,
		})
	}
	b.WriteString("\n")
	t.Write(b, width)
}
