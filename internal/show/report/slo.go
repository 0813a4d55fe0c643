package report

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/slo"
)

// slo prints how an SLO stands, clause by clause.
func (c *console) slo(j *slo.Judgement) {
	if j == nil {
		return
	}
	word := string(j.Status())
	if j.Status() == slo.Broken {
		word = c.paint(red, word)
	}
	c.line("%-40s %s", "SLO:", word)
	for _, check := range j.Checks {
		c.Words(&c.b, "  ", check.String())
	}
}

// setSLO adds it to the result of a run that was held against one.
func setSLO(o *object, j *slo.Judgement) {
	if j == nil {
		return
	}
	clauses := make([]object, len(j.Checks))
	for i, check := range j.Checks {
		value := any(nil)
		if !math.IsNaN(check.Value) {
			value = check.Value
		}
		clauses[i] = object{{"clause", check.Clause.String()}, {"metric", check.Clause.Metric}, {"limit", check.Clause.Limit}, {"value", value}, {"status", string(check.Status)}}
	}
	o.Set("slo", object{{"status", string(j.Status())}, {"clauses", clauses}})
}
