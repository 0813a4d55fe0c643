package rules

import "github.com/inferometer/inferometer/internal/journal"

// Counts are what rules look at and no other number of a result holds.
type Counts struct {
	cancelled, overflow, counted int
	talks                        map[int]struct{} // conversations that were begun
}

// Add takes in a measured request.
func (c *Counts) Add(r *journal.Request) {
	switch {
	case r.Outcome == journal.Cancelled, r.Outcome == journal.HungUp:
		c.cancelled++
	case r.Overflow():
		c.overflow++
	case r.Outcome == journal.Complete && r.UsagePrompt > 0 && r.UsageOutput > 0:
		c.counted++
	}
	if r.Conversation > 0 {
		if c.talks == nil {
			c.talks = map[int]struct{}{}
		}
		c.talks[r.Conversation] = struct{}{}
	}
}

// Facts are those of a run of so many measured requests.
func (c *Counts) Facts(run *journal.Run, requests, completed int) Facts {
	return Facts{
		Run: run, Requests: requests - c.cancelled, Completed: completed, Overflow: c.overflow, Failed: requests - completed - c.cancelled - c.overflow,
		Counted: c.counted, Conversations: len(c.talks),
	}
}
