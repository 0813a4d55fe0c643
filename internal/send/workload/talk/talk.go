// Package talk is conversations: requests of which some wait for the answers of others.
// A conversation is a small graph of turns. A sequence, in which each turn waits for the
// one before, is the usual one; an agent fans out, joins, and lets its tools work.
//
// The package says what is to be sent and makes the messages of each turn from the
// history so far. Who sends them, and when, is load's business.
package talk

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// What a conversation may hold, whoever wrote it.
const (
	MaxTurns = 10_000
	// MaxHistory bounds the messages of one request: a server's answers are part of them.
	MaxHistory = 64 << 20
)

// Conversation is what is planned. It is read by many goroutines and changed by none.
type Conversation struct {
	Number int    // from 1
	ID     string // as its file calls it; may be empty
	First  int    // the Index of its first turn; the others follow
	Turns  []Turn
	// Branches are the agents whose turns they are, the first one the root; none: all turns are of one.
	Branches []Branch
	// Trace is the id of the recording that it is played from, and Play counts the plays of that one from 1; empty: it is none.
	Trace string
	Play  int
	// Before are turns of that recording which lie before the moment at which this play begins: they are not among Turns.
	Before int
	// Reasoning says that a live answer's reasoning stays in the history.
	Reasoning bool
	// Maker makes its turns, which have no messages then; nil: they have their own.
	Maker Maker
}

// Branch is one agent of a conversation: a chain of turns with a session of its own.
type Branch struct {
	Name string
	Kind string // root, or what the recording calls it
}

// FromBegin is the Turn of a Wait that counts from the begin of the conversation.
const FromBegin = -1

// Wait is what a turn waits for: it is due Delay after that one's answer, and where it waits for several, after the last of them.
type Wait struct {
	Turn  int // another turn, or FromBegin
	Delay time.Duration
	Sent  bool // Delay counts from when that turn was sent, and its answer is not waited for
	// Spawn: that turn began this one's branch. If it is left out, after a failure, so is the branch.
	Spawn bool
	// IfLast: Delay counts only if none of the others that it waits for has ended later.
	IfLast bool
}

// Turn is one request of a conversation.
type Turn struct {
	Name string // as its file calls it; may be empty
	// Waits are what it waits for; none: it begins with the conversation.
	Waits  []Wait
	Branch int // whose turn it is: an index into Branches
	// Model is asked for in place of the conversation's; empty: that one is.
	Model string
	// Fields are further fields of its body, such as tools.
	Fields []Field
	// Continues is the turn whose messages and answer stand before its own; -1: none does.
	Continues int
	Messages  []Message // its own
	// Recorded is the answer that stays in the history, in place of the server's; nil: the server's.
	Recorded       json.RawMessage
	PromptTokens   int // of its own messages, as planned; 0: not known
	OutputTokens   int // asked for
	RecordedTokens int // of Recorded; 0: not known
}

// Message is one message that a turn adds.
type Message struct {
	// JSON is the whole message, as chat completions have it.
	JSON json.RawMessage
	// Tool says that it answers a tool call: its tool_call_id becomes that of the call which
	// the server made.
	Tool bool
	// Answers are turns whose answers are added to its content, in this order.
	Answers []int
}

// Sequence lets each turn wait for the one before and continue it.
func Sequence(turns []Turn) {
	for i := range turns {
		turns[i].Continues = i - 1
		if i > 0 {
			turns[i].Waits = []Wait{{Turn: i - 1}}
		}
	}
}

// name is what a turn is called in an error.
func (c *Conversation) name(i int) string {
	if n := c.Turns[i].Name; n != "" {
		return fmt.Sprintf("turn %q", n)
	}
	return fmt.Sprintf("turn %d", i+1)
}

// Check says why the turns can't be sent: one waits for itself, be it through others, or
// uses an answer that it does not wait for.
func (c *Conversation) Check() error {
	switch n := len(c.Turns); {
	case n == 0:
		return fmt.Errorf("it has no turns")
	case n > MaxTurns:
		return fmt.Errorf("it has %d turns, and %d are the most", n, MaxTurns)
	}
	if err := c.checkRange(); err != nil {
		return err
	}
	before, err := c.ancestors()
	if err != nil {
		return err
	}
	for i, t := range c.Turns {
		if len(t.Messages) == 0 && c.Maker == nil {
			return fmt.Errorf("%s has no messages", c.name(i))
		}
		if slices.ContainsFunc(t.Waits, func(w Wait) bool { return w.Delay < 0 }) {
			return fmt.Errorf("%s has a delay below 0", c.name(i))
		}
		if t.Continues >= 0 && !before(i, t.Continues) {
			return fmt.Errorf("%s continues %s, and does not wait for it", c.name(i), c.name(t.Continues))
		}
		for _, m := range t.Messages {
			for _, a := range m.Answers {
				if !before(i, a) {
					return fmt.Errorf("%s uses the answer of %s, and does not wait for it", c.name(i), c.name(a))
				}
			}
		}
	}
	return nil
}

// checkRange looks for turns that are not there.
func (c *Conversation) checkRange() error {
	for i, t := range c.Turns {
		used := []int{max(t.Continues, 0)}
		for _, w := range t.Waits {
			used = append(used, max(w.Turn, 0))
		}
		for _, m := range t.Messages {
			used = append(used, m.Answers...)
		}
		for _, k := range used {
			if k < 0 || k >= len(c.Turns) {
				return fmt.Errorf("%s needs a turn that is not there", c.name(i))
			}
		}
	}
	return nil
}

// ancestors tells whether turn i waits for turn k, be it through others. An error names
// the turns that wait for each other in a circle.
func (c *Conversation) ancestors() (func(i, k int) bool, error) {
	if c.IsSequence() {
		return func(i, k int) bool { return k < i }, nil
	}
	const open, done = 1, 2
	state := make([]byte, len(c.Turns))
	words := (len(c.Turns) + 63) / 64
	above := make([][]uint64, len(c.Turns)) // a bit for each turn that it waits for
	var path []int
	var walk func(i int) error
	walk = func(i int) error {
		switch state[i] {
		case done:
			return nil
		case open:
			return c.circle(path, i)
		}
		state[i] = open
		path = append(path, i)
		above[i] = make([]uint64, words)
		for _, w := range c.Turns[i].Waits {
			k := w.Turn
			if k == FromBegin {
				continue
			}
			if err := walk(k); err != nil {
				return err
			}
			above[i][k/64] |= 1 << (k % 64)
			for w, bits := range above[k] {
				above[i][w] |= bits
			}
		}
		path = path[:len(path)-1]
		state[i] = done
		return nil
	}
	for i := range c.Turns {
		if err := walk(i); err != nil {
			return nil, err
		}
	}
	return func(i, k int) bool { return above[i][k/64]&(1<<(k%64)) != 0 }, nil
}

// IsSequence says that each turn waits for the one before it, and for no other.
func (c *Conversation) IsSequence() bool {
	for i, t := range c.Turns {
		if i == 0 && len(t.Waits) > 0 || i > 0 && (len(t.Waits) != 1 || t.Waits[0].Turn != i-1 || t.Waits[0].Sent) {
			return false
		}
	}
	return true
}

func (c *Conversation) circle(path []int, again int) error {
	text := ""
	for _, i := range path[slices.Index(path, again):] {
		text += c.name(i) + " waits for "
	}
	return fmt.Errorf("its turns wait for each other: %s%s", text, c.name(again))
}
