// Package slo reads and judges service level objectives: what a server must keep
// to be good enough.
//
//	p99_ttft<=500ms and p99_itl<=60ms and failed<0.1%
//
// A clause is a metric, a comparison and a limit with its unit. Metrics of latency
// are a statistic and a name (mean_ttft, median_tpot, p99.9_e2el); without the
// statistic they are the latency of a single request, which is what goodput counts.
// Numbers of the whole run are named as in a result: request_throughput, failed.
//
// The package knows no result file: an SLO is judged over a function that knows
// values by their names, so that a run, a repeat, a mean over repeats and a gate of
// compare are judged by the same code.
package slo

import (
	"fmt"
	"math"
	"strings"
)

// SLO is clauses that must all hold.
type SLO []Clause

// Clause is one limit.
type Clause struct {
	Metric string  // canonical: p99_ttft, median_itl, ttft, failed, failed_share
	Op     Op      // how the value must stand to the limit
	Limit  float64 // in the metric's unit: ms, a share from 0 to 1, or the number's own
	text   string  // as written
}

// Op is a comparison.
type Op string

// The comparisons.
const (
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
)

// String is the clause as it was written, without spaces to spare.
func (c Clause) String() string { return c.text }

// String is the SLO as it can be parsed again.
func (s SLO) String() string {
	words := make([]string, len(s))
	for i, c := range s {
		words[i] = c.String()
	}
	return strings.Join(words, " and ")
}

// Holds compares a value with the limit. NaN holds nothing.
func (c Clause) Holds(value float64) bool {
	switch c.Op {
	case Less:
		return value < c.Limit
	case AtMost:
		return value <= c.Limit
	case More:
		return value > c.Limit
	case AtLeast:
		return value >= c.Limit
	}
	return false
}

// Use is how much of the limit a value takes: below 1 it holds with room to spare,
// above 1 it is broken, and the clause with the highest use binds.
func (c Clause) Use(value float64) float64 {
	limit := c.Limit
	if c.Op == More || c.Op == AtLeast {
		value, limit = limit, value
	}
	if limit == 0 {
		if value == 0 {
			return 1
		}
		return math.Inf(1)
	}
	return value / limit
}

// PerRequest says that the clause speaks of single requests, as goodput does, and
// not of a run.
func (c Clause) PerRequest() bool { return isLatency(c.Metric) }

// Percentiles are those that the clauses need to be known, in the order of the text.
func (s SLO) Percentiles() (ps []float64) {
	for _, c := range s {
		if p, _, ok := percentileOf(c.Metric); ok {
			ps = append(ps, p)
		}
	}
	return ps
}

// Latencies are the names of the latencies that the clauses speak of.
func (s SLO) Latencies() (names []string) {
	for _, c := range s {
		if _, name, ok := splitLatency(c.Metric); ok {
			names = append(names, name)
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
	Clause Clause
	Value  float64 // NaN where it is not known
	Status Status
}

// String says the clause and what was.
func (c Check) String() string {
	if c.Status == Unknown {
		return fmt.Sprintf("%s: not known", c.Clause)
	}
	return fmt.Sprintf("%s: %s, at %s", c.Clause, c.Status, format(c.Clause.Metric, c.Value))
}

// Judgement is an SLO held against the values of one result.
type Judgement struct {
	Status Status
	Checks []Check // one a clause, in the order of the text
}

// Judge holds the SLO against values; value gives one by its canonical name.
func (s SLO) Judge(value func(metric string) (float64, bool)) Judgement {
	j := Judgement{Status: Met}
	for _, c := range s {
		check := Check{Clause: c, Value: math.NaN(), Status: Unknown}
		if v, ok := value(c.Metric); ok && !math.IsNaN(v) {
			check.Value, check.Status = v, Broken
			if c.Holds(v) {
				check.Status = Met
			}
		}
		j.Checks = append(j.Checks, check)
		switch {
		case check.Status == Broken:
			j.Status = Broken
		case check.Status == Unknown && j.Status == Met:
			j.Status = Unknown
		}
	}
	return j
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
