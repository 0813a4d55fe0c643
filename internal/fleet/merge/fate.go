package merge

import (
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// known is what is known of an agent when the fate of its requests is decided.
type known struct {
	told     *message.Status // the last that it told; nil: nothing
	whole    bool            // its journal came whole, with its last line
	sent     int             // requests that it sent, by that line
	recorded int             // requests that have a line
	dead     bool            // it died in contact: what it had not told it has not sent
	until    int64           // it sends nothing that is due later: its last contact and the lease
}

// fate is what became of a request that was planned and has no line: Unsent if it was
// certainly not sent, else Lost. number is its place in the order in which the agent sends
// its share (of a conversation's turn, its conversation's place: at least so many requests
// were sent before it).
func fate(k *known, number int, due int64) journal.Outcome {
	switch {
	case k.told == nil: // it was never ready, so it was not started
		return journal.Unsent
	case k.whole && k.recorded >= k.sent: // it wrote down all that it sent
		return journal.Unsent
	case k.whole && number >= k.sent:
		return journal.Unsent
	case number < mayHaveSent(k.told):
		return journal.Lost
	case stopped(k.told.Phase), k.dead:
		return journal.Unsent
	case due > k.until:
		return journal.Unsent
	}
	// Within its lease an agent that nobody hears goes on, and promises more than anybody
	// knows of. That it is dead now proves nothing, unless it was heard to the end.
	return journal.Lost
}

// mayHaveSent is how many requests an agent has sent at most, unless it told so after this
// status and nobody heard it.
func mayHaveSent(told *message.Status) int {
	if told.Phase == message.Ended {
		return told.Sent
	}
	return max(told.Sent, told.Reserved)
}

// stopped says that an agent in this phase sends no more.
func stopped(p message.Phase) bool {
	switch p {
	case message.Draining, message.Ended, message.Failed:
		return true
	}
	return false
}

// knows is what is known of an agent after its journal was read.
func (m *merger) knows(agent int) *known {
	a, end := &m.plan.Agents[agent], &m.end.Agents[agent]
	k := &known{
		told: a.Status, dead: a.Dead, whole: a.Whole && end.Ended && end.Unwritten == 0, sent: end.Sent,
		until: a.LastContact + int64(m.plan.Lease) - m.plan.Start + max(a.OffsetError, 0),
	}
	if s := m.sources[agent]; s != nil {
		k.recorded = s.measured
		if k.told == nil { // a journal says that it began, whatever came of its messages
			k.told = &message.Status{Phase: message.Running, Sent: s.measured}
		}
	}
	return k
}

// missing writes a line for each request of the list that has none.
func (m *merger) missing() {
	planned := m.plan.Planned
	if planned == nil {
		planned = m.mayHaveBeen
	}
	agents := make([]*known, len(m.plan.Agents))
	for i := range agents {
		agents[i] = m.knows(i)
	}
	next := make([]int, len(agents)) // place of the next unit of each
	last := make([]int, len(agents)) // the conversation that it belongs to
	for r := range planned {
		if r.Index < 0 || r.Agent < 0 || r.Agent >= len(agents) {
			continue
		}
		if r.Conversation == 0 || r.Conversation != last[r.Agent] {
			next[r.Agent]++
			last[r.Agent] = r.Conversation
		}
		switch {
		case m.list.came.has(r.Index):
		case r.Conversation > 0 && m.list.over.has(r.Conversation-1):
			m.sum.Skipped++
			m.end.Skipped++
		default:
			m.writeMissing(&r, fate(agents[r.Agent], next[r.Agent]-1, r.Due))
		}
	}
}

// writeMissing writes the line of a request of which nothing else is known.
func (m *merger) writeMissing(r *Request, fate journal.Outcome) {
	end := &m.end.Agents[r.Agent]
	words := "not sent"
	if fate == journal.Lost {
		words = "it may have been sent"
		m.sum.Lost++
		end.Lost++
	} else {
		m.sum.Unsent++
		end.Unsent++
	}
	if gone := m.plan.Agents[r.Agent].Gone; gone != "" {
		words += ": " + gone
	}
	m.write(&journal.Request{
		Index: r.Index, Agent: r.Agent, Conversation: r.Conversation, Turn: r.Turn,
		Due: r.Due, Sent: r.Due, End: r.Due, Outcome: fate, Error: words,
		PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens,
	})
}

// mayHaveBeen stands in for a list that has no end: of each agent that was lost, the
// requests that it may have sent. Of conversations nobody knows them.
func (m *merger) mayHaveBeen(yield func(Request) bool) {
	const most = 1 << 20 // beyond what has come: a status is data from outside
	for agent := range m.plan.Agents {
		k := m.knows(agent)
		if k.told == nil || k.whole && k.recorded >= k.sent || m.list.over != nil {
			continue
		}
		left := min(mayHaveSent(k.told), k.recorded+most)
		for i := 0; left > 0 && i < mostUnits; i++ {
			if m.list.owners[agent].Of(i) != agent {
				continue
			}
			left--
			if !yield(Request{Index: i, Agent: agent}) {
				return
			}
		}
	}
}
