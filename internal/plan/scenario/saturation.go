package scenario

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// load is how hard a row pressed: its kind (an open loop's rate, or a concurrency) and
// how much; ok is false where neither is set.
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

// isLoad says whether an axis of the matrix is of the load.
func isLoad(axis string) bool {
	name := axis[strings.LastIndex(axis, ".")+1:]
	return name == "concurrency" || name == "rate"
}

// alike is the same for rows that differ in their load alone.
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

// saturation says whether the most that was measured is the most that the server can
// do, from the points that differ in load alone and can be trusted as much.
func (p *Plan) saturation(most *Row, list []*Row) (s measure.Saturation, unit string) {
	unit, _, ok := most.load()
	if !ok {
		return s, unit
	}
	var loads []measure.Load
	for _, row := range list {
		st, has := row.Stat(throughput)
		if _, at, _ := row.load(); has && p.alike(row) == p.alike(most) && (row.Verdict != "INVALID" || most.Verdict == "INVALID") {
			loads = append(loads, measure.Load{At: at, Throughput: st.Mean})
		}
	}
	return measure.SaturationOf(loads), unit
}

// mostLine is the first answer.
func (p *Plan) mostLine(a *Answers, list []*Row) string {
	s, unit := p.saturation(a.Most, list)
	if s.Known {
		a.Saturated = &s.Saturated
	}
	return fmt.Sprintf("%s: %s; %s.", s.Title(), p.describe(a.Most), s.Words(unit))
}
