package metric

import "strings"

// Limit is a value per request or per job that --goodput can bound: a metric of either, or a
// statistic over the gaps of one request (itl_p99).
type Limit struct {
	Name   string
	Metric *Metric
	Over   OfRequest // for a metric per gap
}

// ParseLimit finds what --goodput can bound by its name. The statistic of a request's
// own gaps comes after their name (itl_p99); before it, it would be that of a run.
func ParseLimit(name string) (Limit, bool) {
	if m := Lookup(name); m != nil {
		return Limit{Name: name, Metric: m}, m.Scope == PerRequest || m.Scope == PerJob
	}
	for i := range table {
		m := &table[i]
		if rest, ok := strings.CutPrefix(name, m.Name+"_"); ok && m.Scope == PerGap {
			over, ok := parseOfRequest(rest)
			return Limit{name, m, over}, ok
		}
	}
	return Limit{}, false
}

// LimitNames lists what --goodput can bound, in words for a message.
func LimitNames() []string {
	names := Names(func(m *Metric) bool { return m.Scope == PerRequest || m.Scope == PerJob })
	for _, gap := range Names(func(m *Metric) bool { return m.Scope == PerGap }) {
		names = append(names, gap+"_mean", gap+"_max", gap+"_pNN")
	}
	return names
}
