package scenario

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/table"
)

// clausesSection shows how each clause of the SLO stands at each point.
func (s *Summary) clausesSection(b *strings.Builder, width int) {
	var clauses []string
	for _, r := range s.Rows {
		for _, c := range r.Clauses {
			if text := c.Clause.String(); !slices.Contains(clauses, text) {
				clauses = append(clauses, text)
			}
		}
	}
	if len(clauses) == 0 {
		return
	}
	b.WriteString("\n## SLO, clause by clause\n\n")
	t := table.Grid{Head: slices.Concat(s.plan.heads(), clauses), Keys: len(s.plan.Axes)}
	for _, r := range s.Rows {
		line := r.keys(s.plan)
		for _, text := range clauses {
			line = append(line, r.clause(text))
		}
		t.Body = append(t.Body, line)
	}
	t.Write(b, width)
}

func (r *Row) clause(text string) string {
	i := slices.IndexFunc(r.Clauses, func(c slo.Check) bool { return c.Clause.String() == text })
	switch {
	case i < 0:
		return nothing
	case r.Clauses[i].Status == slo.Unknown:
		return "not known"
	}
	return string(r.Clauses[i].Status) + ", " + r.Clauses[i].Shown()
}

// judge holds a repeat against the SLO; of each clause the worst repeat counts.
func (r *Row) judge(objective slo.SLO, m *measured) {
	if len(objective) == 0 {
		return
	}
	j := objective.Judge(m.value)
	if r.Clauses == nil {
		r.Clauses = j.Checks
	}
	for i, c := range j.Checks {
		if worseCheck(&c, &r.Clauses[i]) {
			r.Clauses[i] = c
		}
	}
	all := slo.Judgement{Checks: r.Clauses}
	r.SLO, r.Binding = all.Status(), ""
	if b := all.Binding(); b != nil {
		r.Binding = b.String()
	}
}

func worseCheck(a, b *slo.Check) bool {
	rank := []slo.Status{slo.Met, slo.Unknown, slo.Broken}
	x, y := slices.Index(rank, a.Status), slices.Index(rank, b.Status)
	return x > y || x == y && a.Status != slo.Unknown && a.Clause.Use(a.Value) > b.Clause.Use(b.Value)
}
