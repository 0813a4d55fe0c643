package routers

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// unknown stands for a number that nobody knows.
const unknown = "unknown"

// Sentences are the answers: each router against the first of the file.
func Sentences(a *routing.Answer) (lines []string) {
	for _, c := range a.Cases {
		in := ""
		if c.Name != "" {
			in = " (" + c.Name + ")"
		}
		for i := range c.Pairs {
			if p := &c.Pairs[i]; p.Than == c.Routers[0].Name {
				lines = append(lines, fmt.Sprintf("%s against %s%s: %s.", p.Router, p.Than, in, sentence(p)))
			}
		}
		if n := count(c.Checks, routing.Found); n > 0 {
			lines = append(lines, fmt.Sprintf("What is wrong with this comparison%s: %d of %d checks found something; see Routers.", in, n, len(c.Checks)))
		}
	}
	return lines
}

func count(list []routing.Check, s routing.State) (n int) {
	for _, c := range list {
		if c.State == s {
			n++
		}
	}
	return n
}

// names of the metrics, for people.
var names = map[string]string{
	routing.TTFT50: "TTFT p50", routing.TTFT99: "TTFT p99", routing.Throughput: "output tok/s", routing.HitShare: "cache hits",
}

// sentence says how one router differs from another.
func sentence(p *routing.Pair) string {
	var words []string
	for _, m := range routing.Metrics() {
		ch := p.Changes[m]
		if ch == nil {
			words = append(words, names[m]+" "+unknown)
			continue
		}
		words = append(words, names[m]+" "+change(ch))
	}
	if d := p.Hits; d != nil {
		text := fmt.Sprintf("%s %s points", names[routing.HitShare], signed(d.Value))
		if d.Bounded {
			text += fmt.Sprintf(" (%s to %s)", signed(d.Low), signed(d.High))
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// change is a difference with its interval, and whether it is one.
func change(ch *compare.Change) string {
	text := signed(ch.Ratio) + " %"
	if ch.Bounded {
		text += fmt.Sprintf(" (%s to %s)", signed(ch.Low), signed(ch.High))
	}
	if ch.Call != compare.Real {
		text += ", " + string(ch.Call)
	}
	return text
}

// signed is a share in %. The ends of intervals that rest on next to nothing have no digits that mean anything.
func signed(v float64) string {
	if v > 10 {
		return "over +1000"
	}
	return strings.Replace(fmt.Sprintf("%+.1f", 100*v), "-", "−", 1)
}

// Write is the section of a scenario's table.
func Write(b *strings.Builder, a *routing.Answer, width int) {
	for _, c := range a.Cases {
		b.WriteString("\n## Routers")
		if c.Name != "" {
			b.WriteString(": " + outside.Markdown(c.Name))
		}
		b.WriteString("\n\n")
		table.Within(b, Table(c), width, nil)
		b.WriteString("\n")
		for _, r := range c.Ranks {
			table.Line(b, "- ", rank(&r), width)
		}
		if len(c.Control) > 0 {
			b.WriteString("\nThe control, in which prompts share nothing:\n\n")
			for i := range c.Control {
				p := &c.Control[i]
				table.Line(b, "- ", fmt.Sprintf("%s against %s: %s", outside.Markdown(p.Router), outside.Markdown(p.Than), sentence(p)), width)
			}
		}
		b.WriteString("\n")
		table.Within(b, Checks(c), width, nil)
	}
}

// rank is an order in words.
func rank(r *routing.Rank) string {
	text := outside.Markdown(r.Order[0])
	for i, apart := range r.Apart {
		word := " ≈ "
		if apart {
			word = " > "
		}
		text += word + outside.Markdown(r.Order[i+1])
	}
	return names[r.Metric] + ", best first: " + text
}

// Table is one line for each router.
func Table(c *routing.Case) *table.Table {
	t := &table.Table{ID: "routers", Keys: 1, Columns: []table.Column{
		{Name: "router"},
		{Name: "TTFT p50, ms", Format: number.Text},
		{Name: "TTFT p99, ms", Format: number.Text},
		{Name: "output tok/s", Format: number.Text},
		{Name: "hits", Format: share},
		{Name: "of the bound", Format: share},
		{Name: "reachable", Format: share},
		{Name: "bound", Format: share},
		{Name: "busiest ÷ mean", Format: number.Text},
		{Name: "CoV", Format: number.Text},
		{Name: "same prefix elsewhere", Format: share},
		{Name: "failed"},
	}}
	for _, r := range c.Routers {
		t.Add(r.Name, maybe(r.TTFT50), maybe(r.TTFT99), maybe(r.Output), maybe(r.Hits), maybe(r.OfBound), maybe(r.Reachable), maybe(r.Bound),
			maybe(r.Busiest), maybe(r.Variation), maybe(r.Elsewhere), fmt.Sprintf("%d/%d", r.Failed, r.Requests))
	}
	return t
}

// Checks is one line for each check.
func Checks(c *routing.Case) *table.Table {
	t := &table.Table{ID: "routers-checks", Keys: 1, Columns: []table.Column{{Name: "check"}, {Name: "state"}, {Name: "seen"}, {Name: "what to do"}}}
	classes := map[routing.State]string{routing.Passed: table.Good, routing.Found: table.Bad, routing.NotChecked: table.Doubt}
	for _, one := range c.Checks {
		state := table.Word(string(one.State))
		state.Class = classes[one.State]
		t.Add(one.Name, state, table.Sentence(one.Figure), table.Sentence(one.Advice))
	}
	return t
}

// Tables are those of a page.
func Tables(a *routing.Answer) (list []*table.Table) {
	for i, c := range a.Cases {
		one, checks := Table(c), Checks(c)
		one.ID, checks.ID = fmt.Sprintf("%s-%d", one.ID, i), fmt.Sprintf("%s-%d", checks.ID, i)
		one.Title, checks.Title = strings.Trim("Routers: "+c.Name, ": "), strings.Trim("What spoils comparisons of routers: "+c.Name, ": ")
		for k := range c.Pairs {
			p := &c.Pairs[k]
			one.Notes = append(one.Notes, fmt.Sprintf("%s against %s: %s.", p.Router, p.Than, sentence(p)))
		}
		for k := range c.Control {
			p := &c.Control[k]
			one.Notes = append(one.Notes, fmt.Sprintf("Control, %s against %s: %s.", p.Router, p.Than, sentence(p)))
		}
		list = append(list, one, checks)
	}
	return list
}

func maybe(v *float64) table.Cell {
	if v == nil {
		return table.Word(unknown)
	}
	return table.Value(*v)
}

func share(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
