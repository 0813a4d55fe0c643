package stream

// EventKind says what an event carried, as bits. The journal keeps the same bits.
type EventKind uint16

// The bits of an EventKind.
const (
	EventChoices   EventKind = 1 << iota // a non-empty choices list
	EventText                            // visible text
	EventReasoning                       // reasoning text
	EventTool                            // a tool call
	EventFinish                          // a finish reason
	EventUsage                           // usage counters
)

// Chunk is what one event says, in the words that all protocols share. Its
// bytes are valid until the next event is decoded.
type Chunk struct {
	Kind      EventKind
	Text      []byte // visible text
	Reasoning []byte
	Tools     []byte // a JSON list of parts of tool calls
	Finish    []byte
	Error     []byte // the server's words inside a 200
	ID        []byte // the answer's id
	Done      bool   // the answer is over with this event
	Replaces  bool   // Usage.Prompt takes the place of what was said before
	// TextIs says what Text is. AllTokens: the event lists all tokens so far. TokenHash stands
	// for those that it lists; 0: for none.
	TextIs    TextIs
	AllTokens bool
	TokenHash uint64
	Usage     Usage
	OwnCount  bool // Usage.Output is of this event alone
	Timings   Timings
	// Tokens is how many tokens the event carries, -1 when it doesn't say, and
	// TokensBy how it said it. With continuous usage the total is in Usage.
	Tokens   int
	TokensBy TokensBy
}

// Usage is the server's own count.
type Usage struct {
	Prompt, Output, Cached int
	CachedKnown            bool // the server said how many it took from its cache, be it none
	// Reasoning are those of Output that are thinking; ReasoningKnown: the server said how many, be it none.
	Reasoning      int
	ReasoningKnown bool
}

// TokensBy names the source of the tokens of an event, the better one the larger.
type TokensBy uint8

// The sources.
const (
	TokensUnknown     TokensBy = iota
	TokensByTokenizer          // our own, of the event's text
	TokensByLogprobs
	TokensByIDs
	TokensByUsage // continuous_usage_stats
)

func (t TokensBy) String() string {
	return [...]string{"", "tokenizer", "logprobs", "token_ids", "usage"}[t]
}

// Timings are the server's own account of a request, as llama.cpp and Ollama give it
// with the last event; zero where the server says nothing.
type Timings struct {
	PromptNs int64 // computing the prompt
	OutputNs int64 // from the first token to the last
	// What llama.cpp counts in them: the prompt's tokens that it computed, which are all but those that it took
	// from its cache, and the answer's.
	Computed, Output int
}
