// Package condition is the one grammar of conditions on metrics:
//
//	conditions = clause { ( "and" | "," | "&&" ) clause }
//	clause     = name operator value
//	name       = [ statistic "_" ] metric | metric "_" statistic
//	operator   = "<=" | "<" | ">=" | ">" | ":" | "±" | "+-"
//	value      = [ "+" | "-" ] number [ unit ]
//
// What a clause is follows from the clause itself, whatever flag it is given to:
//
//	p99_ttft<=500ms   Limit       on a number of a run        --slo, the scenario's slo
//	ttft<=500ms       PerRequest  on each request             --goodput; ttft:500 is vLLM's spelling
//	p99_ttft<+5%      Change      against another side        --gate
//	accuracy          Change      not worse than another side --gate; accuracy>-2pp: by so many points at most
//	p99_ttft±5%       Width       of a confidence interval    --until
//
// Each flag takes one kind. docs/conditions.md is the manual.
package condition

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
)

// Kind is what a clause speaks of.
type Kind int

// The kinds.
const (
	Limit Kind = iota
	PerRequest
	Change
	Width
)

// words are how messages name a kind.
var words = map[Kind]struct{ noun, flag, operators, example string }{
	Limit:      {"limit on a run", "--slo", "<=, <, >= or >", "p99_ttft<=500ms"},
	PerRequest: {"limit per request", "--goodput", "<= or :", "ttft:500"},
	Change:     {"limit on a change", "--gate", "< or >", "p99_ttft<+5%"},
	Width:      {"width of an interval", "--until", "± or +-", "p99_ttft±5%"},
}

// Op is how a value must stand to the limit.
type Op string

// The operators. A colon is AtMost; +- is Within.
const (
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
	Within  Op = "±"
	// NotWorse is the bare word accuracy in a gate: broken where a loss is established.
	NotWorse Op = ""
)

// Accuracy is the share of right answers. A change of it is a difference, in percentage
// points: 2 % less of 0.5 would be 0.49 to one reader and 0.48 to another.
const Accuracy = "accuracy"

// Clause is one condition.
type Clause struct {
	Kind   Kind
	Typed  string  // the metric's name as it was written
	Metric string  // in its one spelling: p99_ttft, itl_p99, failed, failed_share
	Op     Op      //
	Limit  float64 // of Limit and PerRequest in the metric's unit (ms, a share from 0 to 1); else a share of the value
	text   string
}

// Parse reads clauses of one kind.
func Parse(text string, kind Kind) ([]Clause, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("no clause is given: write one as in %s", words[kind].example)
	}
	var list []Clause
	for _, part := range between.Split(text, -1) {
		c, err := parseClause(strings.TrimSpace(part), kind)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// String is the clause as it was written, without spaces to spare.
func (c Clause) String() string { return c.text }

// Name is the number of a run that the clause speaks of; ok is false for one that the
// table of metrics does not have.
func (c Clause) Name() (n metric.Name, ok bool) {
	n, _, ok = metric.ParseValue(c.Metric)
	return n, ok
}

// AtLeast says whether the limit is one from below: the value must be at least so much.
func (c Clause) AtLeast() bool { return c.Op == More || c.Op == AtLeast }

// Holds compares a value with the limit. NaN holds nothing.
func (c Clause) Holds(value float64) bool {
	switch c.Op {
	case Less:
		return value < c.Limit
	case AtMost, Within:
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
	if c.AtLeast() {
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

// OfEach is the limit on a run's latency as one on each request, for --goodput: p99_ttft<=500ms
// becomes ttft:500, and p99_itl<=50ms, of which a request has many values, itl_p99:50.
// ok is false for what has no value per request.
func (c Clause) OfEach() (limit string, ok bool) {
	n, ok := c.Name()
	if !ok || !n.Metric.Reported() || c.AtLeast() {
		return "", false
	}
	name := n.Metric.Name
	if n.Metric.Scope == metric.PerGap {
		name += "_" + string(n.Statistic)
		if n.Statistic == metric.Median {
			name = n.Metric.Name + "_p50"
		}
	}
	_, ok = metric.ParseLimit(name)
	return name + ":" + strconv.FormatFloat(c.Limit, 'f', -1, 64), ok
}
