package page

import (
	_ "embed" // its part of the page
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/explain"
)

//go:embed explain.html
var explainText string

// explainView is what limited a run, and where the time of its requests went.
type explainView struct {
	Verdict, Title     string
	Why, Seen, Unknown []string
	Next               string
	Time               *table // nil: there is nothing to divide
}

// newExplainView is nil where a run was not explained.
func newExplainView(id string, e *explain.Explanation) *explainView {
	if e == nil {
		return nil
	}
	v := &explainView{Title: e.Title, Why: e.Why, Seen: e.Seen, Unknown: e.Unknown, Next: e.Next}
	if e.Verdict != nil {
		v.Verdict = e.Verdict.String()
	}
	if len(e.Time.Parts) == 0 {
		return v
	}
	v.Time = &table{
		ID: id + "-time", Caption: fmt.Sprintf("Where the time of a request went: mean of %s, %s ms from due to the end", count(e.Time.Requests), number(1000*e.Time.Seconds)),
		Heads: heads("part", "#ms", "#%", "who says so"),
	}
	add := func(name string, p *explain.Part) {
		v.Time.Lines = append(v.Time.Lines, []cell{words(name), scaled(p.Seconds, 1000), scaled(p.Share, 100), words(p.Source)})
	}
	for i := range e.Time.Parts {
		add(e.Time.Parts[i].Name, &e.Time.Parts[i])
	}
	if slow := e.Time.Slow; slow != nil {
		for i := range slow.Parts {
			add(fmt.Sprintf("slowest %s: %s", count(slow.Requests), slow.Parts[i].Name), &slow.Parts[i])
		}
	}
	return v
}

// scaled is a number that may not be known.
func scaled(v *float64, by float64) cell {
	if v == nil {
		return cell{Text: "unknown"}
	}
	return value(math.Round(*v*by*1000) / 1000)
}
