package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/send/live"
)

// servers are what the servers say of themselves, one a line.
func (m *Model) servers(int) (out []string) {
	for i, s := range m.state.Servers {
		name := "server"
		if len(m.state.Servers) > 1 {
			name = fmt.Sprintf("server %d", i+1)
		}
		var words []string
		say := func(v *float64, write func(float64) string, what string) {
			if v != nil {
				words = append(words, fmt.Sprintf(what, write(*v)))
			}
		}
		say(s.Running, short, "%s running")
		say(s.Waiting, short, "%s waiting")
		say(s.CacheUse, share, "cache %s")
		say(s.Preempted, short, "%s preempted")
		say(s.TokensPerS, short, "%s tokens/s")
		if len(words) == 0 {
			words = []string{"unknown"}
		}
		out = append(out, m.labelled(name, strings.Join(words, " · ")))
	}
	return out
}

// clauses are the parts of the SLO, and whether each holds so far.
func (m *Model) clauses(width int) (out []string) {
	most := 0
	for _, c := range m.state.SLO {
		most = max(most, widthOf(c.Text))
	}
	most = min(most, width/2)
	for i, c := range m.state.SLO {
		name := ""
		if i == 0 {
			name = "SLO"
		}
		word := "unknown"
		switch {
		case c.Holds == nil:
		case *c.Holds:
			word = m.paint(good, pad("holds", 7))
		default:
			word = m.paint(bad, pad("broken", 7))
		}
		value := ""
		if c.Value != nil {
			value = "now " + short(*c.Value)
			if strings.HasSuffix(c.Text, "%") { // it is a share
				value = "now " + short(*c.Value*100) + " %"
			}
		}
		out = append(out, m.labelled(name, word+"  "+pad(c.Text, most)+"  "+value))
	}
	return out
}

func firstBroken(clauses []live.Clause) int {
	return max(slices.IndexFunc(clauses, func(c live.Clause) bool { return c.Holds != nil && !*c.Holds }), 0)
}

// agents are those of a fleet, one a line.
func (m *Model) agents(width int) (out []string) {
	most := 0
	for _, a := range m.state.Agents {
		most = max(most, widthOf(a.Name))
	}
	most = min(most, width/3)
	for i, a := range m.state.Agents {
		name := ""
		if i == 0 {
			name = "agents"
		}
		phase := a.Phase
		if phase == "" {
			phase = "unknown"
		}
		text := fmt.Sprintf("%s  %s  %s sent · %s ended", pad(a.Name, most), pad(strings.ReplaceAll(phase, "_", " "), 10), count(a.Sent), count(a.Ended))
		if a.Silent {
			text += " · " + m.paint(bad, "silent")
		}
		out = append(out, m.labelled(name, text))
	}
	return out
}

func firstSilent(agents []live.Agent) int {
	return max(slices.IndexFunc(agents, func(a live.Agent) bool { return a.Silent }), 0)
}

// sumOf adds up what the servers tell.
func sumOf(servers []live.Server, of func(live.Server) *float64) string {
	sum, known := 0.0, false
	for _, s := range servers {
		if v := of(s); v != nil {
			sum, known = sum+*v, true
		}
	}
	if !known {
		return unknown
	}
	return short(sum)
}

// fullest is the use of the cache that is used most.
func fullest(servers []live.Server) string {
	most, known := 0.0, false
	for _, s := range servers {
		if v := s.CacheUse; v != nil {
			most, known = max(most, *v), true
		}
	}
	if !known {
		return unknown
	}
	return share(most)
}
