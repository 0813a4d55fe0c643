package protocol

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

// The finish reasons in OpenAI's words.
var (
	finishStop   = []byte("stop")
	finishLength = []byte("length")
	finishTools  = []byte("tool_calls")
)

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

// Decoder reads events. It holds memory that is used again for each one.
type Decoder struct {
	scan  scanner
	words scanner // inside an error object
	// Parts of tool calls, and JSON inside a string, of protocols that write them otherwise.
	tools, quoted []byte
	// echo is where the log-probabilities of a prompt go; nil: they were not asked for.
	echo *Echoed
}

// openAI decodes a message of an OpenAI-like stream; choice reads the first choice.
func (d *Decoder) openAI(data []byte, c *Chunk, choice func(s *scanner, name []byte, c *Chunk)) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	isError, message := false, []byte(nil)
	s.object(func(name []byte) {
		switch string(name) {
		case "id":
			c.ID = s.string()
		case "choices":
			d.choices(c, choice)
		case "usage":
			d.usage(c)
		case "timings":
			d.timings(c)
		case "error":
			c.Error = d.errorWords()
		case "object":
			isError = string(s.string()) == "error"
		case "message":
			message = s.string()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	if c.Error == nil && isError && message != nil {
		c.Error = message // as vLLM before 0.9 says it: {"object":"error","message":…}
	}
	return nil
}

// choices reads the first choice. A list that is not empty makes a token chunk.
func (d *Decoder) choices(c *Chunk, choice func(s *scanner, name []byte, c *Chunk)) {
	s := &d.scan
	if s.next() != '[' {
		s.skip()
		return
	}
	s.array(func(i int) {
		if i > 0 || s.next() != '{' {
			s.skip()
			c.Kind |= EventChoices
			return
		}
		c.Kind |= EventChoices
		s.object(func(name []byte) {
			switch string(name) {
			case "finish_reason":
				if c.Finish = s.string(); len(c.Finish) > 0 {
					c.Kind |= EventFinish
				}
			case "token_ids":
				if n := s.count(); n >= 0 {
					c.Tokens, c.TokensBy = n, TokensByIDs
				}
			default:
				choice(s, name, c)
			}
		})
	})
}

// logprobs counts the tokens of a list inside the object logprobs.
func (s *scanner) logprobs(list string, c *Chunk) {
	if s.next() != '{' {
		s.skip()
		return
	}
	s.object(func(name []byte) {
		if string(name) != list {
			s.skip()
		} else if n := s.count(); n >= 0 && c.TokensBy < TokensByLogprobs {
			c.Tokens, c.TokensBy = n, TokensByLogprobs
		}
	})
}

// saidIn are the words of an error that is an event by itself.
func (d *Decoder) saidIn(data []byte) []byte {
	d.scan.reset(data)
	if words := d.errorWords(); d.scan.err == nil && len(words) > 0 {
		return words
	}
	return data
}

// errorWords are the message of an error object, or all of it; nil for null.
func (d *Decoder) errorWords() []byte {
	s := &d.scan
	kind := s.next()
	start := s.pos
	if kind == '"' {
		return s.string()
	}
	s.skip()
	value := s.data[min(start, len(s.data)):s.pos]
	if string(value) == "null" {
		return nil
	}
	if kind == '{' {
		w := &d.words
		w.reset(value)
		var message []byte
		w.object(func(name []byte) {
			if string(name) == "message" {
				message = w.string()
			} else {
				w.skip()
			}
		})
		if len(message) > 0 {
			return message
		}
	}
	return value
}
