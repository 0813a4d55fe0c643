package section

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atRules, byRules) }

// byRules is how the run stands by the rules of others, rule by rule.
func byRules(run *Run) *Section {
	j := run.Result.Rules
	if j == nil {
		return nil
	}
	word := "valid"
	if !j.Valid {
		word = fmt.Sprintf("not valid: %d of %d rules are not met", len(j.Reasons), len(j.Findings))
	}
	t := &table.Table{Title: fmt.Sprintf("By the rules of %s: %s", j.Rules, word), Columns: table.Words("rule", "state", "figure", "what is asked for")}
	for i := range j.Findings {
		f := &j.Findings[i]
		t.Add(f.Rule, table.Cell{Text: string(f.State), Class: stateClass(f.State)}, outside.Line(f.Figure, outside.MaxSentence), table.Sentence(f.Text))
	}
	return &Section{ID: "rules", Title: "Rules of " + j.Rules, Tables: []*table.Table{t}}
}

func stateClass(s rules.State) string {
	switch s {
	case rules.Met:
		return table.Good
	case rules.Broken:
		return table.Bad
	}
	return table.Doubt
}
