package slo

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// clause is the shape of one limit; what stands in its parts is read after it.
var clause = regexp.MustCompile(`^\s*([A-Za-z][\w.-]*)\s*(<=|>=|<|>)\s*([0-9][0-9_.eE+-]*)\s*([^\s\d]\S*)?\s*$`)

// between stands between clauses.
var between = regexp.MustCompile(`(?i)\s+and\s+|\s*,\s*|\s*&&\s*`)

// Parse reads an SLO. Clauses are joined by "and" or a comma.
func Parse(text string) (SLO, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New(`an SLO is clauses such as "p99_ttft<=500ms and failed<0.1%"`)
	}
	var s SLO
	for _, part := range between.Split(text, -1) {
		c, err := parseClause(part)
		if err != nil {
			return nil, err
		}
		s = append(s, c)
	}
	return s, nil
}

func parseClause(part string) (Clause, error) {
	m := clause.FindStringSubmatch(part)
	if m == nil {
		return Clause{}, fmt.Errorf(`%q is no clause: write a metric, <=, <, >= or >, and a limit, as in p99_ttft<=500ms`, strings.TrimSpace(part))
	}
	metric, kind, err := canonical(m[1])
	if err != nil {
		return Clause{}, err
	}
	number, unit := m[3], m[4]
	limit, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
	if err != nil || math.IsInf(limit, 0) {
		return Clause{}, fmt.Errorf("%q: %q is no number", strings.TrimSpace(part), number)
	}
	c := Clause{Metric: metric, Op: Op(m[2]), Limit: limit, text: m[1] + m[2] + number + unit}
	if err := c.scale(kind, unit); err != nil {
		return Clause{}, fmt.Errorf("%s: %w", c.text, err)
	}
	return c, nil
}

// shareSuffix names what a count with % is held against.
const shareSuffix = "_share"

// scale brings the limit to the unit inside. A latency without a unit is refused:
// 0.5 would be half a second to one reader and half a millisecond to another.
func (c *Clause) scale(k kind, unit string) error {
	factors := map[kind]map[string]float64{
		latency: {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1000, "m": 60_000},
		rate:    {"": 1, "tok/s": 1, "req/s": 1, "/s": 1},
		count:   {"": 1, "%": 0.01},
		seconds: {"ms": 1e-3, "s": 1, "m": 60, "h": 3600},
	}
	factor, ok := factors[k][unit]
	switch {
	case !ok && unit == "":
		return errors.New("the limit needs a unit, such as ms or s")
	case !ok:
		return fmt.Errorf("a limit of %s can't be in %q", c.Metric, unit)
	}
	// Division is exact where the product is not: 0.1% is 0.1/100.
	if factor < 1 {
		c.Limit /= math.Round(1 / factor)
	} else {
		c.Limit *= factor
	}
	if unit == "%" {
		c.Metric += shareSuffix
	}
	return nil
}
