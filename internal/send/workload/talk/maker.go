package talk

import "encoding/json"

// Maker makes the turns of a conversation when they are about to be sent, so that one which waits holds no text. Its methods
// are called by several goroutines at once, each turn's in the order of their names here.
type Maker interface {
	// Make gives a turn. All turns that it waits for have ended.
	Make(turn int) (*Made, error)
	// Sent is told that a turn's request is about to be written, and says how many of its of tokens an unbounded cache would
	// have from requests that were written before; no of: not known.
	Sent(turn int) (before, of int)
	// Answered is told the answer to a turn; nil: it has failed.
	Answered(turn int, a *Answer)
	// AppendPlan appends what decides the bytes of its turns, for a hash.
	AppendPlan(dst []byte) []byte
}

// Made is a turn as it is sent.
type Made struct {
	Messages json.RawMessage // all of them, as a JSON list
	Tokens   int             // of the prompt; 0: not known
	// Planned of the PlannedOf tokens of the prompt stood at the beginning of an earlier one in the recording; no PlannedOf: not known.
	Planned, PlannedOf int
}

// Field is a top-level field of a request's body.
type Field struct {
	Name     string
	Value    json.RawMessage
	Sampling bool // a parameter such as temperature: a setting of the run wins over it
}
