package stream

import (
	"errors"
	"fmt"
)

// What a server may make us keep. Each bound lies far above what servers send in
// good order, so that only an answer that is no answer meets one. Without them one
// stream that never ends would take the memory of the whole run.
const (
	// maxText bounds an answer's text: two million tokens of 8 bytes.
	maxText = 16 << 20
	// maxEvents bounds the events of an answer whose length was not asked for. With
	// their columns in the journal they take some 100 MB.
	maxEvents = 1 << 20
	// maxWord bounds a word that is written down: a finish reason, an id.
	maxWord = 200
	// MaxTokenCount bounds the counts in usage: ten times the longest context that
	// any model has. Sums over all requests of a run stay far from overflow.
	MaxTokenCount = 100_000_000
	// maxErrorRead is how much of an error's body is read, so that the connection
	// can be used again. Only its first maxErrorBody bytes are kept.
	maxErrorRead = 64 << 10
	// maxWhole bounds an answer that is one JSON value: 32 texts of 1,024 tokens with a
	// vector of 1,024 numbers for each token take some 400 MB.
	maxWhole = 1 << 30
	// maxSkimmed bounds what is kept of it: all but its lists.
	maxSkimmed = 64 << 10
	// KeepBuffer is how much memory a stream keeps for the next request.
	KeepBuffer = 1 << 20
	keepEvents = 1 << 15
)

// Answers that are longer than asked for are cut off: a server that ignores the
// limit would else decide how long the run takes. What events hold is not always
// known, and a gateway may cut tokens into pieces, hence the room.
const (
	overTimes  = 4
	overTokens = 64
	// A request may have so many events that carry no text at all: roles, pings,
	// counters. They are few on every server that we know.
	extraEvents = 10_000
)

// limits are the bounds of one answer.
type limits struct {
	asked  int // tokens; 0: not said
	tokens int // at most; 0: no bound
	events int
}

// limitsFor an answer of which so many tokens were asked for.
func limitsFor(asked int) limits {
	if asked <= 0 || asked > MaxTokenCount {
		return limits{events: maxEvents}
	}
	tokens := overTimes*asked + overTokens
	return limits{asked: asked, tokens: tokens, events: tokens + extraEvents}
}

// errTooMuch wraps what says which bound an answer has broken.
var errTooMuch = errors.New("the answer was cut off")

func tooMuch(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errTooMuch}, args...)...)
}

// Shrink gives up a buffer that one odd answer has made large.
func Shrink(b []byte) []byte {
	if cap(b) > KeepBuffer {
		return nil
	}
	return b[:0]
}
