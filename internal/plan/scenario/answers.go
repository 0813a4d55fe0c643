package scenario

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/slo"
)

// throughput is what "the most" is counted in.
const throughput = "output_throughput"

// Answers are the two sentences at the top of a table: the most that was reached,
// and the most within the SLO. A point whose numbers can't be trusted is no answer
// as long as another one can.
type Answers struct {
	Most      *Row
	Saturated *bool // would more load give no more; nil: not known
	WithinSLO *Row
	Lines     []string
}

func answers(plan *Plan, list []*Row) Answers {
	var a Answers
	var untrusted, untrustedWithin *Row
	for _, row := range list {
		if row.Verdict == "INVALID" {
			untrusted = higher(untrusted, row)
			if row.SLO == slo.Met {
				untrustedWithin = higher(untrustedWithin, row)
			}
			continue
		}
		a.Most = higher(a.Most, row)
		if row.SLO == slo.Met {
			a.WithinSLO = higher(a.WithinSLO, row)
		}
	}
	switch {
	case a.Most == nil && untrusted == nil:
		a.Lines = append(a.Lines, "The most measured: unknown, no point has a result.")
		return a
	case a.Most == nil:
		a.Most = untrusted
		a.Lines = append(a.Lines, plan.mostLine(&a, list)+" No point's verdict is better than INVALID: don't trust this number.")
	default:
		a.Lines = append(a.Lines, plan.mostLine(&a, list)+plan.passedOver(a.Most, untrusted))
	}
	objective := plan.Scenario.SLO
	if len(objective.SLO) == 0 {
		a.Lines = append(a.Lines, "The most within an SLO: the scenario sets none.")
		return a
	}
	line := fmt.Sprintf("The most within %s: ", objective)
	switch {
	case a.WithinSLO != nil:
		line += fmt.Sprintf("%s; nearest to its limit is %s.", plan.describe(a.WithinSLO), a.WithinSLO.Binding)
	case untrustedWithin != nil:
		line += "no point that can be trusted keeps it."
	default:
		line += "no point keeps it." + nearest(plan, list)
	}
	a.Lines = append(a.Lines, line+plan.passedOver(a.WithinSLO, untrustedWithin))
	return a
}

// passedOver tells of a higher number that does not count.
func (p *Plan) passedOver(best, untrusted *Row) string {
	if untrusted == nil || higher(best, untrusted) != untrusted {
		return ""
	}
	return " A higher number, " + p.describe(untrusted) + ", is INVALID and does not count."
}

// higher is the row with more throughput; a row without results has none.
func higher(a, b *Row) *Row {
	if b == nil {
		return a
	}
	of := func(r *Row) float64 {
		s, ok := r.Stat(throughput)
		if !ok {
			return -1
		}
		return s.Mean
	}
	if of(b) < 0 || a != nil && of(a) >= of(b) {
		return a
	}
	return b
}

// nearest says which clause was missed at the point with the least throughput,
// where an SLO is kept most easily.
func nearest(plan *Plan, list []*Row) string {
	var low *Row
	for _, row := range list {
		if row.Binding != "" && (low == nil || higher(row, low) == low) {
			low = row
		}
	}
	if low == nil {
		return ""
	}
	return fmt.Sprintf(" At the lowest throughput, %s: %s.", plan.describe(low), low.Binding)
}

// describe is a row's throughput and where it was reached.
func (p *Plan) describe(r *Row) string {
	out, _ := r.Stat(throughput)
	req, _ := r.Stat("request_throughput")
	return fmt.Sprintf("%s tok/s, %s req/s (%s%s)", number(out.Mean), number(req.Mean), p.place(r), r.doubt())
}

// doubt is what speaks against a row's numbers, where they count all the same. (That
// a row is INVALID the sentences say themselves.)
func (r *Row) doubt() string {
	if r.Verdict != "SUSPECT" {
		return ""
	}
	return "; SUSPECT because of " + strings.Join(r.Reasons, ", ")
}

// place is a row's values of the matrix in words.
func (p *Plan) place(r *Row) string {
	var words []string
	for _, name := range p.Axes {
		word := name + " " + r.Values[name]
		if name == targetAxis {
			word = r.Values[name]
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
