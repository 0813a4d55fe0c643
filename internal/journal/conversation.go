package journal

import (
	"errors"

	"github.com/inferometer/inferometer/internal/outside"
)

// Conversation is how a conversation ended: requests of which some wait for the answers
// of others. Each that was begun has one line, written when its last request has ended.
// Its requests have lines of their own; those that were never sent are counted here.
type Conversation struct {
	Number   int `json:"n" bound:"-"`       // from 1, as Request.Conversation
	Turns    int `json:"turns"`             // requests that were planned
	Sent     int `json:"sent"`              // requests that were sent
	Skipped  int `json:"skipped,omitempty"` // requests that were never sent
	Complete int `json:"complete"`          // requests that ended as complete

	Outcome ConversationOutcome `json:"outcome"`         // complete; failed: a turn failed; abandoned: the run ended first
	Error   string              `json:"error,omitempty"` // the turn that failed and how, or why the run ended

	Begin int64 `json:"begin"`                            // its first turn was due
	End   int64 `json:"end" bound:"-"`                    // its last request had ended
	Think int64 `json:"think,omitempty" bound:"duration"` // delays on the way that led to the last answer, without what was skipped of them
	// IdleSkipped is the time that was skipped since nothing of this conversation was in flight, and IdleSkips how often. End.Skips are not in it.
	IdleSkipped int64 `json:"idle_skipped,omitempty" bound:"duration"`
	IdleSkips   int   `json:"idle_skips,omitempty"`

	// Trace is the recording that it was played from, and Play counts the plays of that one from 1; absent: none.
	Trace string `json:"trace,omitempty"`
	Play  int    `json:"play,omitempty"`
	// Before are turns of the recording before the moment at which it was begun: they were not planned.
	Before int `json:"before,omitempty"`
	// Branches are its agents, the first one the root; absent: it has one.
	Branches []Branch `json:"branches,omitempty" max:"10000"`
}

// Branch is one agent of a conversation.
type Branch struct {
	Name string `json:"name,omitempty"`
	Kind string `json:"kind,omitempty"` // root, or what the recording calls it
}

// ConversationOutcome is how a conversation ended.
type ConversationOutcome string

// The outcomes of a conversation. Only ConversationComplete is a success.
const (
	ConversationComplete  ConversationOutcome = "complete"  // every turn was sent and answered
	ConversationFailed    ConversationOutcome = "failed"    // a turn ended in another outcome than Complete
	ConversationAbandoned ConversationOutcome = "abandoned" // the run ended before it did, and no turn had ended it by failing
)

// Conversation writes how a conversation ended.
func (w *Writer) Conversation(c *Conversation) error { return w.line(Line{Conversation: c}) }

func (c *Conversation) clean() {
	c.Outcome = ConversationOutcome(outside.Word(string(c.Outcome)))
	c.Error, c.Trace = outside.Line(c.Error, 2*outside.MaxSentence), outside.Word(c.Trace)
	for i := range c.Branches {
		b := &c.Branches[i]
		b.Name, b.Kind = outside.Word(b.Name), outside.Word(b.Kind)
	}
}

func (c *Conversation) check() error {
	b := checkFields(c)
	b.within("n", int64(c.Number), 1, maxIndex)
	b.within("turns", int64(c.Turns), 0, maxTurns)
	b.within("sent", int64(c.Sent), 0, int64(c.Turns))
	b.within("skipped", int64(c.Skipped), int64(c.Turns-c.Sent), int64(c.Turns-c.Sent))
	b.within("complete", int64(c.Complete), 0, int64(c.Sent))
	b.within("end", c.End, c.Begin, maxTime)
	if b.err == nil && c.Outcome == "" {
		b.err = errors.New("it has no outcome")
	}
	return b.named("conversation", c.Number)
}
