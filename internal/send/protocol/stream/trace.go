package stream

import "github.com/inferometer/inferometer/internal/send/wire"

// Trace is what is known about one exchange when it is over.
type Trace struct {
	Status   int
	ServerID string
	Headers  int64 // when the headers had arrived
	Conn     wire.Conn
	Served   Served

	Events []Event
	// SharedReads counts events that lay in one read with the one before: they
	// share its stamp.
	SharedReads int
	// Open are the events, by their index, that came last of those in a read and did not
	// end it: what else it brought may be what its stamp is of.
	Open []int

	Text         []byte // visible text; valid until the stream is used again
	TextEnds     []int  // where each event's part of Text ends
	Usage        Usage
	Timings      Timings // the last that the server gave
	HasUsage     bool
	FinishReason string
	TokensBy     TokensBy // the best source that an event had

	// Of an answer that is kept whole, see Stream.KeepAnswer.
	Reasoning []byte // valid until the stream is used again
	Tools     []ToolCall
	// Echoed is what was said of the prompt's tokens; nil where it was not asked for, or no
	// answer could be read.
	Echoed *Echoed

	Done      bool   // [DONE] came
	ErrorBody []byte // of an answer other than 200, or an error event's words
	ErrorMark bool   // an error event came inside a 200
	Malformed error  // what could not be understood first, or broke a bound
	// Items are the vectors or scores of an answer that is no stream; -1: not known.
	Items int
	// Overlong: the answer is far longer than asked for. It was cut off after so many
	// tokens, counted by the server or as events; 0: it is not.
	Overlong int
}

// Ended says that the answer came to its own end, or failed: nothing of it is missing.
func (t *Trace) Ended() bool {
	return t.Done || t.FinishReason != "" || t.ErrorMark || t.Malformed != nil || t.Overlong > 0 || t.Status != 0 && t.Status != 200
}

// Event is one message of a stream; [DONE] is none.
type Event struct {
	wire.Stamp
	Kind   EventKind
	Tokens int // -1: not said
}

// PromptTokens are the prompt's, those from the cache included; false: the server did not say how many these were, as
// llama.cpp before September 2025.
func (t *Trace) PromptTokens() (n int, known bool) {
	n = t.Timings.Computed + t.Usage.Cached
	return n, n > 0 && t.Timings.Computed > 0 && t.Usage.CachedKnown
}

// Echoed is what an answer that repeats its prompt says of each token: those of the prompt
// first, then those that were generated. Its lists are as long as the server made them.
type Echoed struct {
	Logprobs []float64 // NaN: null, as of the first token, which nothing stands before
	Best     []float64 // of the most likely token in that place; NaN: not said
	Offsets  []int     // where a token's text begins, in characters; -1: not said
	Texts    []byte    // of all tokens, one after the other, and
	Ends     []int     // where each ends; valid until the stream is used again
}

// Text is that of one token.
func (e *Echoed) Text(i int) []byte {
	begin := 0
	if i > 0 {
		begin = e.Ends[i-1]
	}
	return e.Texts[begin:e.Ends[i]]
}

// reset forgets what was read, and the memory that one odd answer has made large.
func (e *Echoed) reset() {
	if cap(e.Logprobs) > keepEvents || cap(e.Texts) > KeepBuffer {
		*e = Echoed{}
		return
	}
	*e = Echoed{Logprobs: e.Logprobs[:0], Best: e.Best[:0], Offsets: e.Offsets[:0], Texts: e.Texts[:0], Ends: e.Ends[:0]}
}
