package merge

import (
	"math"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// firstLine is the whole's: that of the first agent whose journal has one, without what is
// that agent's alone. nil: there is none.
func (m *merger) firstLine() *journal.Run {
	run := m.plan.First
	for _, s := range m.sources {
		if s != nil {
			run = s.reader.Run()
			break
		}
	}
	if run == nil {
		return nil
	}
	whole := *run
	whole.StartUnixNs, whole.Share, whole.Fleet, whole.Proven = m.plan.Start, "", m.fleet, nil
	m.targets, m.replicas = len(whole.Targets), len(whole.Replicas)
	o := &whole.Options
	if first := m.plan.First; first != nil && first.Spec != nil { // an agent's is of its share
		whole.Schema, whole.Spec, o.Workload = journal.Schema, first.Spec, first.Options.Workload
	}
	if l := m.plan.Limits; l != nil {
		o.MaxConcurrency, o.MaxConversations, o.IntegritySample = l.MaxConcurrency, l.MaxConversations, l.IntegritySample
		o.SpawnRate, o.ProbeRate = l.SpawnRate, l.ProbeRate
	} else {
		m.addLimits(o)
	}
	if o.NumPrompts == 0 && m.list.known {
		o.NumPrompts = m.list.total
	}
	for _, s := range m.sources { // of several machines the weakest claim
		if s != nil && s.reader.Run().Clock != whole.Clock {
			whole.Clock = "user"
		}
		whole.ReadEnds = whole.ReadEnds && (s == nil || s.reader.Run().ReadEnds)
		whole.Holds = whole.Holds && (s == nil || s.reader.Run().Holds)
	}
	return &whole
}

// addLimits adds up what the agents had. Those of whom nothing came had as much as their weight says.
func (m *merger) addLimits(o *journal.Options) {
	var slots, talks, samples, spawn, probe, weight, of float64
	for i := range m.plan.Agents {
		w := 1.0
		if sh := &m.plan.Agents[i].Share; sh.Index < len(sh.Weights) {
			w = float64(sh.Weights[sh.Index])
		}
		of += w
		if s := m.sources[i]; s != nil && w > 0 { // one of no weight sends nothing
			part := &s.reader.Run().Options
			weight += w
			slots += float64(part.MaxConcurrency)
			talks += float64(part.MaxConversations)
			samples += float64(part.IntegritySample)
			spawn += part.SpawnRate
			probe = max(probe, part.ProbeRate) // the first agent's alone
		}
	}
	if weight == 0 {
		return
	}
	whole := func(sum float64) int { return int(math.Round(sum * of / weight)) }
	o.MaxConcurrency, o.MaxConversations, o.IntegritySample = whole(slots), whole(talks), whole(samples)
	o.SpawnRate, o.ProbeRate = spawn*of/weight, probe
}

// ended takes in the last line of an agent's journal, and how it could be read.
func (m *merger) ended(agent int, s *source) {
	to := &m.end.Agents[agent]
	if e := s.reader.End(); e != nil {
		to.Ended, to.Sent, to.PeakInFlight, to.Interrupted, to.Unwritten, to.Client = true, e.Sent, e.PeakInFlight, e.Interrupted, e.Unwritten, e.Client
	}
	if err := s.reader.Damage(); err != nil {
		to.Damage = err.Error()
	}
	if n, why := s.reader.Skipped(); n > 0 {
		m.note("%s: lines of its journal that are left out: %d (%v)", m.plan.Agents[agent].title(), n, why)
	}
}

// lastLine is the whole's: sums over the agents.
func (m *merger) lastLine() *journal.End {
	end := &journal.End{Fleet: m.end, At: max(m.lastEnd, 0)}
	same := len(m.plan.ShareSHA) == len(m.plan.Agents)
	for i, s := range m.sources {
		if s == nil {
			same = same && m.list.known && m.list.shares[i] == 0 // nothing was its to send
			continue
		}
		e := s.reader.End()
		if e == nil {
			end.Sent += s.measured
			same, end.SeenPrompts = false, -1
			continue
		}
		end.Sent += e.Sent
		m.add(end, e, s.shift)
		same = same && e.WorkloadSHA == m.plan.ShareSHA[i]
	}
	if same {
		end.WorkloadSHA, end.Recipe = m.plan.WorkloadSHA, journal.WorkloadRecipe
	}
	end.Interrupted = m.interrupted(end.Interrupted)
	return end
}

// interrupted is why the whole stopped early. said is the first word of the agents' own
// journals: who led the run asked all of them, so that an agent that stopped by itself says
// another one, which is the one to know.
func (m *merger) interrupted(said string) string {
	gone, silent, cut := false, false, ""
	for i := range m.plan.Agents {
		a, own := &m.plan.Agents[i], m.end.Agents[i].Interrupted
		if a.Gone == "" {
			continue
		}
		if own != "" && own != journal.Signal && (said == own || said == journal.Signal) {
			said = a.title() + " stopped by itself: " + own
		}
		switch over := a.Status != nil && (a.Status.Phase == message.Ended || a.Status.Phase == message.Failed); {
		case over && !a.Whole && cut == "":
			cut = "the journal of " + a.title() + " is not all here"
		case !over:
			silent = true
		}
		gone = true
	}
	switch missing := m.sum.Lost+m.sum.Unsent > 0; {
	case said != "":
		return said
	case cut != "":
		return cut
	case silent || missing && gone:
		return "an agent was lost"
	case missing:
		return "requests of its agents are missing"
	}
	return ""
}

// add adds an agent's last line. The agents' peaks need not have been at one moment, so
// that their sum is an upper bound.
func (m *merger) add(to, e *journal.End, shift int64) {
	if to.Interrupted == "" {
		to.Interrupted = e.Interrupted
	}
	if to.Stopped == "" {
		to.Stopped = e.Stopped
	}
	to.PeakInFlight += e.PeakInFlight
	to.Unwritten += e.Unwritten
	if to.SeenPrompts >= 0 && e.SeenPrompts >= 0 {
		to.SeenPrompts += e.SeenPrompts
	} else {
		to.SeenPrompts = -1
	}
	to.Client.UserCPUNs += e.Client.UserCPUNs
	to.Client.SystemCPUNs += e.Client.SystemCPUNs
	to.Client.GCPauseNs += e.Client.GCPauseNs
	to.Client.GCCount += e.Client.GCCount
	to.Client.MaxRSSBytes = max(to.Client.MaxRSSBytes, e.Client.MaxRSSBytes)
	if d := e.SpecDecode; d != nil && (to.SpecDecode == nil || d.DraftTokens > to.SpecDecode.DraftTokens) {
		to.SpecDecode = d // each asked the same servers: who saw most saw the whole run
	}
	if to.Power == nil {
		to.Power = e.Power
	}
	if to.Profile == nil {
		to.Profile = e.Profile
	}
	if to.RPSChanges == nil {
		to.RPSChanges = e.RPSChanges
	}
}

// conversation takes in how a conversation of an agent ended.
func (m *merger) conversation(s *source) func(*journal.Conversation) {
	return func(c *journal.Conversation) {
		if !m.list.ended(s.agent, c.Number) || c.Move(s.shift) != nil {
			return
		}
		if err := m.writer.Conversation(c); err != nil && m.failed == nil {
			m.failed = err
		}
	}
}
