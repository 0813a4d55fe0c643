package section

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/explain"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atExplain, explained) }

// explained is what limited a run, and where the time of its requests went, where that was asked for.
func explained(run *Run) *Section {
	e := run.Explain
	if e == nil {
		return nil
	}
	facts := &table.Table{Title: "What limited the run"}
	if e.Verdict != nil {
		facts.Fact("Verdict", e.Verdict.String())
	}
	facts.Fact("Limited by", e.Title)
	for _, part := range []struct {
		label string
		list  []string
	}{{"Why", e.Why}, {"Also seen", e.Seen}, {"Not known", e.Unknown}} {
		for _, text := range part.list {
			facts.Fact(part.label, text)
		}
	}
	facts.Fact("Next", e.Next)
	times := &table.Table{
		Title:   fmt.Sprintf("Where the time of a request went: mean of %d, %s from due to the end", e.Time.Requests, number.Duration(e.Time.Seconds)),
		Columns: slices.Concat(table.Words("part"), table.Numbers(milliseconds, "ms"), table.Numbers(number.Points, "%"), table.Words("source")),
	}
	add := func(name string, p *explain.Part) {
		times.Add(name, unknown(p.Seconds), unknown(p.Share), p.Source)
	}
	for i := range e.Time.Parts {
		add(e.Time.Parts[i].Name, &e.Time.Parts[i])
	}
	if slow := e.Time.Slow; slow != nil {
		for i := range slow.Parts {
			add(fmt.Sprintf("slowest %d: %s", slow.Requests, slow.Parts[i].Name), &slow.Parts[i])
		}
	}
	return &Section{ID: "explain", Title: "What limited it", Tables: []*table.Table{facts, times}}
}

func milliseconds(seconds float64) string { return number.Millis(1000 * seconds) }

func unknown(v *float64) table.Cell {
	if v == nil {
		return table.Word(number.Unknown)
	}
	return table.Value(*v)
}
