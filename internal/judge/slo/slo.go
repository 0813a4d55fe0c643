// Package slo judges service level objectives: what a server must keep to be good
// enough.
//
//	p99_ttft<=500ms and p99_itl<=60ms and failed<0.1%
//
// Package condition reads the clauses. The package knows no result file: an SLO is
// judged over a function that knows values by their names, so that a run, a repeat
// and a mean over repeats are judged by the same code. GiveUp judges a run while it
// goes on.
package slo

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/condition"
	"github.com/inferometer/inferometer/internal/judge/metric"
)

// SLO is clauses that must all hold.
type SLO []condition.Clause

// Parse reads an SLO: limits on numbers of a whole run.
func Parse(text string) (SLO, error) { return condition.Parse(text, condition.Limit) }

// String is the SLO as it can be parsed again.
func (s SLO) String() string {
	words := make([]string, len(s))
	for i, c := range s {
		words[i] = c.String()
	}
	return strings.Join(words, " and ")
}

// Percentiles are those that the clauses need to be known, in the order of the text.
// The median is always known.
func (s SLO) Percentiles() (ps []float64) {
	for _, c := range s {
		n, _ := c.Name()
		if p, ok := n.Statistic.Percentile(); ok && n.Statistic != metric.Median {
			ps = append(ps, p)
		}
	}
	return ps
}

// Latencies are the names of the latencies that the clauses speak of.
func (s SLO) Latencies() (names []string) {
	for _, c := range s {
		if n, ok := c.Name(); ok && n.Metric.IsLatency() {
			names = append(names, n.Metric.Name)
		}
	}
	return names
}

// Status is how an SLO stands.
type Status string

// The three answers. Unknown is neither: some value is not there, and no other
// clause is broken.
const (
	Met     Status = "met"
	Broken  Status = "broken"
	Unknown Status = "unknown"
)

// Check is a clause and the value that it was held against.
type Check struct {
	Clause condition.Clause
	Value  float64 // NaN where it is not known
	Status Status
	// Within are bounds of the value, among which the limit lies; nil: they don't matter.
	Within *[2]float64
}

// Shown is the value with its unit.
func (c Check) Shown() string { return metric.Format(c.Clause.Metric, c.Value) }

// String says the clause and the value.
func (c Check) String() string {
	if c.Within != nil {
		return fmt.Sprintf("%s: not known, somewhere between %s and %s: events share reads", c.Clause,
			metric.Format(c.Clause.Metric, c.Within[0]), metric.Format(c.Clause.Metric, c.Within[1]))
	}
	if c.Status == Unknown {
		return fmt.Sprintf("%s: not known", c.Clause)
	}
	return fmt.Sprintf("%s: %s, at %s", c.Clause, c.Status, c.Shown())
}

// Judgement is an SLO held against the values of one result.
type Judgement struct {
	Checks []Check // one per clause, in the order of the text
}

// Judge holds the SLO against values; value gives one by its name.
func (s SLO) Judge(value func(metric string) (float64, bool)) Judgement {
	var j Judgement
	for _, c := range s {
		check := Check{Clause: c, Value: math.NaN(), Status: Unknown}
		if v, ok := value(c.Metric); ok && !math.IsNaN(v) {
			check.Value, check.Status = v, Broken
			if c.Holds(v) {
				check.Status = Met
			}
		}
		j.Checks = append(j.Checks, check)
	}
	return j
}

// Within takes back what bounds of the values do not carry: a clause that holds for the value and not
// for all that the truth may be is not known to be met. What is broken stays broken.
func (j Judgement) Within(bounds func(metric string) (low, high float64, ok bool)) Judgement {
	for i := range j.Checks {
		c := &j.Checks[i]
		if c.Status != Met {
			continue
		}
		low, high, ok := bounds(c.Clause.Metric)
		if ok && !(c.Clause.Holds(low) && c.Clause.Holds(high)) {
			c.Status, c.Within = Unknown, &[2]float64{low, high}
		}
	}
	return j
}

// Status is how the clauses stand together.
func (j Judgement) Status() Status {
	worst := Met
	for _, c := range j.Checks {
		switch {
		case c.Status == Broken:
			return Broken
		case c.Status == Unknown:
			worst = Unknown
		}
	}
	return worst
}

// Binding is the check that takes the most of its limit, nil where nothing is known.
func (j Judgement) Binding() *Check {
	var binding *Check
	for i := range j.Checks {
		c := &j.Checks[i]
		if c.Status != Unknown && (binding == nil || c.Clause.Use(c.Value) > binding.Clause.Use(binding.Value)) {
			binding = c
		}
	}
	return binding
}
