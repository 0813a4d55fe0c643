// Package tree is a recorded job: the turns of an agent and of those that it spawned, when each began and
// ended, what its prompt shared with others, and which turns it must have waited for. Each format of a trace
// that knows sessions is read into it. How it is played again is decided elsewhere: the edges say what they
// are, and carry the recorded pause.
package tree

import (
	"encoding/json"
	"time"
)

// Tree is one job.
type Tree struct {
	ID       string
	Branches []Branch // the first is the root's
	Turns    []Turn   // a turn's parents stand before it; else by the time at which they began
	// At is when its first turn began by the trace's own clock, which may be the tree's own.
	At      time.Duration
	Block   int  // tokens of a block of IDs; 0: there are none
	Shared  bool // IDs mean the same in all trees of the trace; else only in this one
	Untimed bool // At and Took of its turns are not known
	Cut     int  // turns that had more ids than their prompts have blocks: what was too much is left out
}

// Branch is one agent: a chain of turns, of which each waits for the one before.
type Branch struct {
	Name   string
	Kind   string // one of the kinds below, or the recording's own word (Explore, Plan)
	Parent int    // the branch that spawned it; -1: the root, or one that nobody spawned
	System int    // tokens of the tools and the system prompt at the beginning of its prompts; 0: not known
	// Since is when the first of those branches was spawned that have its Spawn turn and its Join turn. The
	// pause of its Spawn edge counts from the end of the spawning turn; AIPerf drops the time from there to Since,
	// and waits only from Since to the first turn.
	Since time.Duration
}

// Kinds of branches, where the recording has no word of its own.
const (
	Root      = "root"
	Subagent  = "subagent"
	Found     = "agent"     // an agent that only its prompts tell apart
	Auxiliary = "auxiliary" // a single call beside the job, for a title, say
)

// Turn is one request.
type Turn struct {
	Name          string // as the recording calls it; may be empty
	Branch        int
	At, Took      time.Duration // from the tree's first turn; from being sent to the end of the answer
	Input, Output int           // tokens; Input is the whole prompt. 0: not known
	// The prompt's blocks: the first Kept are those of the turn before on this branch, IDs follow them.
	// Tokens behind the last block are like no other's.
	Kept    int
	IDs     []uint64
	Model   string
	Parents []Parent
	// Own are the messages that it adds, where the recording has texts, as chat completions have them, and
	// Answer what it was answered; nil: there are none.
	Own    []json.RawMessage
	Answer json.RawMessage
	// Fields are further fields of the body, such as tools.
	Fields map[string]json.RawMessage
}

// Parent is a turn that another waits for.
type Parent struct {
	Turn int // an index into Turns
	Edge Edge
	// Pause is the recorded time from that turn's end, or with Sent from its start, to this one; at least 0.
	Pause   time.Duration
	Sent    bool // a Spawn before the spawning turn had ended
	History History
}

// Edge is why a turn waits for another. A turn without parents begins with the tree, At later.
type Edge uint8

// The edges.
const (
	Next    Edge = iota // the turn before it on its branch
	Spawn               // the turn of another branch that began this one
	Join                // the last turn of a branch that this one takes up again
	Barrier             // a turn of another branch that had ended before this one began
)

// History is what of a parent stands before a turn's own messages.
type History uint8

// What stands before.
const (
	New  History = iota // nothing: its prompt is whole by itself
	Last                // that parent's own messages and its answer
	Full                // all that stood before that parent too
)
