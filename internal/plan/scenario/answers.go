package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/saturation"
	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/show/number"
)

// throughput is the metric by which points are ranked.
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

// passedOver mentions a higher throughput that is not trusted.
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
	return fmt.Sprintf("%s tok/s, %s req/s (%s%s)", number.Text(out.Mean), number.Text(req.Mean), p.place(r), r.doubt())
}

// doubt gives the reasons of a SUSPECT verdict. An INVALID one is stated by the
// sentences themselves.
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

// load is the offered load of a row: its kind (the rate of an open loop, or a
// concurrency) and its value. ok is false if neither is set.
func (r *Row) load() (kind string, at float64, ok bool) {
	p := &r.Points[0].scenario.Pace
	switch {
	case p.Rate != nil:
		return "rate", *p.Rate, true
	case p.Concurrency != nil:
		return "concurrency", float64(*p.Concurrency), true
	}
	return "", 0, false
}

// isLoad reports whether an axis of the matrix varies the load.
func isLoad(axis string) bool {
	name := axis[strings.LastIndex(axis, ".")+1:]
	return name == "concurrency" || name == "rate"
}

// alike is a key that is equal for rows that differ only in load.
func (p *Plan) alike(r *Row) string {
	kind, _, _ := r.load()
	words := []string{kind}
	for _, name := range p.Axes {
		if !isLoad(name) || kind == "rate" && strings.HasSuffix(name, "concurrency") {
			words = append(words, fmt.Sprintf("%s=%s", name, r.Values[name]))
		}
	}
	return strings.Join(words, "\n")
}

// saturation decides whether the highest measured throughput is the server's limit. It
// uses the points that differ only in load and have a verdict at least as good.
func (p *Plan) saturation(most *Row, list []*Row) (s saturation.Saturation, unit string) {
	unit, _, ok := most.load()
	if !ok {
		return s, unit
	}
	var loads []saturation.Load
	for _, row := range list {
		st, has := row.Stat(throughput)
		if _, at, _ := row.load(); has && p.alike(row) == p.alike(most) && (row.Verdict != "INVALID" || most.Verdict == "INVALID") {
			loads = append(loads, saturation.Load{At: at, Throughput: st.Mean})
		}
	}
	return saturation.Of(loads), unit
}

// mostLine is the sentence on the highest throughput.
func (p *Plan) mostLine(a *Answers, list []*Row) string {
	s, unit := p.saturation(a.Most, list)
	if s.Known {
		a.Saturated = &s.Saturated
	}
	return fmt.Sprintf("%s: %s; %s.", s.Title(), p.describe(a.Most), s.Words(unit))
}

// day formats a time for a table.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Measured is when a record's point was measured, in words.
func (r *Record) Measured() string {
	if r == nil || r.Started.IsZero() {
		return "an unknown day"
	}
	return day(r.Started)
}

// age says which of the results were not measured by this run, and when they were;
// empty: none.
func (s *Summary) age() string {
	var n, all int
	var from, to time.Time
	for _, rec := range s.records {
		if !rec.done() {
			continue
		}
		all++
		if !rec.Earlier {
			continue
		}
		n++
		if from.IsZero() || rec.Started.Before(from) {
			from = rec.Started
		}
		if rec.Started.After(to) {
			to = rec.Started
		}
	}
	if n == 0 {
		return ""
	}
	when := "on " + day(from)
	if day(to) != day(from) {
		when = fmt.Sprintf("from %s to %s", day(from), day(to))
	}
	which := fmt.Sprintf("%d of the %d results were", n, all)
	if n == all {
		which = "None of these results is new: all were"
	}
	return fmt.Sprintf("%s measured by an earlier run, %s; --fresh measures them again.", which, when)
}
