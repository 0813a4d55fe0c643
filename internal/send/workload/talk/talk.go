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
	// Reasoning says that a live answer's reasoning stays in the history.
	Reasoning bool
}

// Turn is one request of a conversation.
type Turn struct {
	Name string // as its file calls it; may be empty
	// After are the turns whose answers it waits for; none: it begins with the conversation.
	After []int
	// Continues is the turn whose messages and answer stand before its own; -1: none does.
	Continues int
	Delay     time.Duration // after the last of those answers
	Messages  []Message     // its own
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
			turns[i].After = []int{i - 1}
		}
	}
}

// Followers are the turns that wait for each turn.
func (c *Conversation) Followers() [][]int {
	f := make([][]int, len(c.Turns))
	for i, t := range c.Turns {
		for _, before := range t.After {
			f[before] = append(f[before], i)
		}
	}
	return f
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
		if len(t.Messages) == 0 {
			return fmt.Errorf("%s has no messages", c.name(i))
		}
		if t.Delay < 0 {
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
		used := append(slices.Clone(t.After), max(t.Continues, 0))
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
		for _, k := range c.Turns[i].After {
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
		if i == 0 && len(t.After) > 0 || i > 0 && !slices.Equal(t.After, []int{i - 1}) {
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
