package condition

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/metric"
)

var (
	// shape is that of a clause; what stands in its parts is read after it.
	shape = regexp.MustCompile(`^([A-Za-z][\w.-]*)\s*(<=|>=|<|>|:|±|\+-)\s*([+-]?)([0-9.][0-9_.eE+-]*)\s*([^\s\d]\S*)?$`)
	// between stands between clauses.
	between = regexp.MustCompile(`(?i)\s+and\s+|\s*,\s*|\s*&&\s*`)
)

func parseClause(part string, kind Kind) (Clause, error) {
	if kind == Change && strings.EqualFold(part, Accuracy) {
		return Clause{Kind: Change, Typed: Accuracy, Metric: Accuracy, Op: NotWorse, text: Accuracy}, nil
	}
	m := shape.FindStringSubmatch(part)
	if m == nil {
		w := words[kind]
		return Clause{}, fmt.Errorf("%q is no clause: write a metric, %s, and a value, as in %s", part, w.operators, w.example)
	}
	name, op, sign, number, unit := m[1], m[2], m[3], m[4], m[5]
	if op == "+-" {
		op = string(Within)
	}
	c := Clause{Typed: name, Op: Op(op), text: name + op + sign + number + unit}
	if op == ":" {
		c.Op = AtMost
	}
	c.Metric, c.Kind = resolve(name, op, sign, unit, kind)
	switch {
	case c.Metric == "" && kind == PerRequest:
		return Clause{}, fmt.Errorf("there is no metric %q per request or job: there are %s; NN is a percentile of the gaps of one request, as in itl_p99",
			name, strings.Join(metric.LimitNames(), ", "))
	case c.Metric == "":
		return Clause{}, fmt.Errorf("there is no metric %q: a latency is such as p99_ttft, mean_tpot, median_itl or p99.9_e2el; the others are %s",
			name, strings.Join(metric.Names(ofRun), ", "))
	case c.Kind != kind:
		return Clause{}, c.misplaced(kind)
	}
	v, err := strconv.ParseFloat(sign+strings.ReplaceAll(number, "_", ""), 64)
	if err != nil || math.IsInf(v, 0) {
		return Clause{}, fmt.Errorf("%s: %q is no number", c, sign+number)
	}
	c.Limit = v
	if err := c.finish(unit, op == ":"); err != nil {
		return Clause{}, fmt.Errorf("%s: %w", c, err)
	}
	return c, nil
}

// ofRun are the metrics of a whole run that bench serve measures.
func ofRun(m *metric.Metric) bool { return m.Run != nil }

// resolve finds a clause's metric, in its one spelling, and its kind. The metric is
// empty where nothing has that name; other tools' results may have any name, and are
// what changes are of.
func resolve(name, op, sign, unit string, wanted Kind) (string, Kind) {
	n, known := metric.ParseName(name)
	known = known && (n.Metric.Reported() || ofRun(n.Metric))
	limit, perRequest := metric.ParseLimit(strings.ToLower(strings.ReplaceAll(name, "-", "_")))
	switch {
	case wanted == Change && (sign != "" || unit == "%" && !(known && n.Metric.Share)) && op != ":" && op != string(Within):
		return metric.KeyOf(name), Change
	case perRequest:
		if kind := kindOf(op, sign); kind != Limit {
			return limit.Name, kind
		}
		return limit.Name, PerRequest
	case known && (n.Statistic != "" || n.Metric.Scope == metric.PerRun):
		return n.String(), kindOf(op, sign)
	case known && wanted != PerRequest: // per gap: a request has many
		return n.String(), PerRequest
	case !known && wanted == Change:
		return name, Limit
	}
	return "", wanted
}

func kindOf(op, sign string) Kind {
	switch {
	case op == string(Within):
		return Width
	case op == ":":
		return PerRequest
	case sign != "":
		return Change
	}
	return Limit
}

// misplaced says that a clause is of a kind that the flag does not take.
func (c *Clause) misplaced(wanted Kind) error {
	w, is := words[wanted], words[c.Kind]
	if m := metric.Lookup(c.Metric); c.Kind == PerRequest && wanted == Limit {
		if m != nil && m.Reported() {
			return fmt.Errorf("%s speaks of single requests; say of how many, as in p99_%s, or give it to %s", c, c, is.flag)
		}
		return fmt.Errorf("%s speaks of single requests; %s takes it", c, is.flag)
	}
	return fmt.Errorf("%s is no %s: write one as in %s; %s takes a %s", c, w.noun, w.example, is.flag, is.noun)
}

// finish brings the value to the unit inside, and refuses one that has no meaning.
func (c *Clause) finish(unit string, colon bool) error {
	switch c.Kind {
	case Width:
		return c.width(unit)
	case Change:
		if c.Metric == Accuracy {
			return c.pointsOf(unit)
		}
		if unit != "%" {
			return errors.New("a limit on a change is in %")
		}
		if c.Limit <= -100 {
			return fmt.Errorf("nothing can fall by %g %%", -c.Limit)
		}
		c.Limit /= 100
		return nil
	case PerRequest:
		if c.Op != AtMost {
			return errors.New("a limit per request is an upper one: write <=")
		}
		if c.Limit < 0 {
			return errors.New("a limit per request can't be negative")
		}
		if colon && unit == "" {
			unit = "ms"
		}
	}
	return c.scale(unit)
}

// pointsOf reads a limit on a difference of accuracy.
func (c *Clause) pointsOf(unit string) error {
	if unit != "pp" {
		return errors.New("a change of accuracy is in percentage points: write accuracy>-2pp, or accuracy alone for no loss that can be told from chance")
	}
	if math.Abs(c.Limit) >= 100 {
		return fmt.Errorf("accuracy can't change by %g points", c.Limit)
	}
	c.Limit /= 100
	return nil
}

// width reads the share of ±. An interval is known of means, percentiles and rates.
func (c *Clause) width(unit string) error {
	if !hasInterval(c.Metric) {
		return fmt.Errorf("there is no interval of %s: there are those of mean_, median_ or pNN_ of %s, and of %s", c.Metric,
			strings.Join(metric.Names(func(m *metric.Metric) bool { return m.Reported() && m.Scope != metric.PerJob }), ", "), strings.Join(metric.Names(isRate), ", "))
	}
	if unit != "%" || !(c.Limit > 0 && c.Limit < 100) {
		return errors.New("a width is in %, above 0 and below 100")
	}
	c.Limit /= 100
	return nil
}

// isRate says whether the interval of a number is known while a run goes on. What a
// request adds to goodput is known, but a run that ends by it would move its own goal.
func isRate(m *metric.Metric) bool { return m.Each != nil && m.Name != "request_goodput" }

func hasInterval(name string) bool {
	n, ok := metric.ParseName(name)
	if !ok {
		return false
	}
	if n.Metric.Scope == metric.PerRun {
		return isRate(n.Metric)
	}
	// A conversation's time is known at its end: while the run goes on, requests are watched.
	return n.Statistic != "" && n.Statistic != metric.Std && n.Metric.Scope != metric.PerJob
}

// factors are the units that a limit may have, by the unit inside.
var factors = map[string]map[string]float64{
	"ms": {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000},
	"s":  {"ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600},
	"":   {"": 1},

	"share": {"": 1, "%": 0.01},
}

// scale brings a limit to the unit inside. A latency without a unit is refused: 0.5
// would be half a second to one reader and half a millisecond to another.
func (c *Clause) scale(unit string) error {
	m := metric.Lookup(c.Metric)
	if limit, ok := metric.ParseLimit(c.Metric); ok {
		m = limit.Metric
	} else if n, ok := metric.ParseName(c.Metric); ok {
		m = n.Metric
	}
	if m.Share && unit == "%" {
		c.Metric += metric.ShareSuffix
		c.Limit /= 100
		return nil
	}
	factor, ok := factors[m.Unit][unit]
	if _, has := factors[m.Unit]; !has { // a number, with its own unit or none
		factor, ok = 1, unit == "" || unit == m.Unit || strings.HasSuffix(m.Unit, "/s") && slices.Contains([]string{"tok/s", "req/s", "/s"}, unit)
	}
	switch {
	case !ok && unit == "":
		return errors.New("the limit needs a unit, such as ms or s")
	case !ok:
		return fmt.Errorf("a limit of %s can't be in %q", c.Metric, unit)
	case m.Unit == "share" && c.Limit*factor > 1:
		return fmt.Errorf("%s is a share: its limit lies between 0 and 1, or is in %%, as in 80%%", c.Metric)
	}
	// Division is exact where the product is not: 0.1ms is 0.1/1000 of a second.
	if factor < 1 {
		c.Limit /= math.Round(1 / factor)
	} else {
		c.Limit *= factor
	}
	return nil
}
