package journal

import (
	"encoding/json"
	"math"
)

// decodeRequest reads a line that AppendRequest wrote into r, and says whether it
// could. It knows that one form: the keys in their order, no space between. Any
// other line, also one that is valid JSON, is left to encoding/json, so this
// function need not know all of JSON; but what it accepts it must read as
// encoding/json does, which FuzzDecodeRequest holds it to.
//
// r must be empty but for the capacity of its columns, which is used again.
// After a refusal r holds half a request.
func decodeRequest(line []byte, r *Request) bool {
	c := cursor{b: line}
	c.word(`{"request":{"i":`)
	r.Index = int(c.int())
	r.ID = c.optionalString(`,"id":`)
	r.Warmup = c.optional(`,"warmup":true`)
	r.Sample = c.optional(`,"sample":true`)
	r.Probe = c.optional(`,"probe":true`)
	r.Target = int(c.optionalInt(`,"target":`))
	r.Agent = int(c.optionalInt(`,"agent":`))
	r.Conversation = int(c.optionalInt(`,"conversation":`))
	r.Turn = int(c.optionalInt(`,"turn":`))
	r.Model = c.optionalString(`,"model":`)
	r.After = column[int](&c, c.optional(`,"after":[`), nil, math.MinInt64, math.MaxInt64)
	r.Delay = c.optionalInt(`,"delay":`)
	c.word(`,"due":`)
	r.Due = c.int()
	r.Released = c.optionalInt(`,"released":`)
	c.word(`,"sent":`)
	r.Sent = c.int()
	r.Connect = c.optionalInt(`,"connect":`)
	r.Written = c.optionalInt(`,"written":`)
	r.Headers = c.optionalInt(`,"headers":`)
	c.word(`,"end":`)
	r.End = c.int()
	c.word(`,"outcome":`)
	r.Outcome = c.outcome()
	r.Status = int(c.optionalInt(`,"status":`))
	r.Error = c.optionalString(`,"error":`)
	r.Cut = c.optional(`,"cut":true`)
	r.ServerID = c.optionalString(`,"server_id":`)
	r.NewConn = c.optional(`,"new_conn":true`)
	r.Reconnects = int(c.optionalInt(`,"reconnects":`))
	r.Retransmits = int(c.optionalInt(`,"retransmits":`))
	r.Reordered = int(c.optionalInt(`,"reordered":`))
	r.RTT = c.optionalInt(`,"rtt":`)
	r.Inputs = int(c.optionalInt(`,"inputs":`))
	r.SoundNs = c.optionalInt(`,"sound_ns":`)
	r.Media = int(c.optionalInt(`,"media":`))
	c.word(`,"prompt_tokens":`)
	r.PromptTokens = int(c.int())
	c.word(`,"output_tokens":`)
	r.OutputTokens = int(c.int())
	r.UsagePrompt = int(c.optionalInt(`,"usage_prompt":`))
	r.UsageOutput = int(c.optionalInt(`,"usage_output":`))
	r.UsageCached = int(c.optionalInt(`,"usage_cached":`))
	r.CachedKnown = c.optional(`,"cached_known":true`)
	r.UsageReasoning = int(c.optionalInt(`,"usage_reasoning":`))
	r.ReasoningKnown = c.optional(`,"reasoning_known":true`)
	r.PlannedPPM = int(c.optionalInt(`,"planned_ppm":`))
	r.PlannedKnown = c.optional(`,"planned_known":true`)
	r.ServerPromptNs = c.optionalInt(`,"server_prompt_ns":`)
	r.ServerOutputNs = c.optionalInt(`,"server_output_ns":`)
	r.TextTokens = int(c.optionalInt(`,"text_tokens":`))
	r.FinishReason = c.optionalName(`,"finish_reason":`)
	r.SharedReads = int(c.optionalInt(`,"shared_reads":`))
	r.UnstampedRead = int(c.optionalInt(`,"unstamped_read":`))
	c.word(`,"events":{`)
	c.events(&r.Events)
	c.word(`}`)
	r.PromptHash = c.optionalString(`,"prompt_hash":`)
	r.TextHash = c.optionalString(`,"text_hash":`)
	r.Prompt = c.optionalText(`,"prompt":`)
	r.Text = c.optionalText(`,"text":`)
	c.word(`}}`)
	return !c.bad && c.at == len(line)
}

// cursor walks over a line. Once something is not as expected it is bad for good,
// so that the caller asks once, at the end.
type cursor struct {
	b   []byte
	at  int
	bad bool
}

// optional steps over s if it is next.
func (c *cursor) optional(s string) bool {
	if end := c.at + len(s); end <= len(c.b) && string(c.b[c.at:end]) == s {
		c.at = end
		return true
	}
	return false
}

func (c *cursor) word(s string) {
	if !c.optional(s) {
		c.bad = true
	}
}

// int reads a number of up to 18 digits, which fits into an int64 whatever they are.
func (c *cursor) int() int64 {
	b, at, negative := c.b, c.at, false
	if at < len(b) && b[at] == '-' {
		negative = true
		at++
	}
	first, n := at, int64(0)
	for at < len(b) {
		digit := b[at] - '0'
		if digit > 9 {
			break
		}
		n = n*10 + int64(digit)
		at++
	}
	digits := at - first
	if digits == 0 || digits > 18 || (digits > 1 && b[first] == '0') {
		c.bad = true
		return 0
	}
	c.at = at
	if negative {
		n = -n
	}
	return n
}

func (c *cursor) optionalInt(key string) int64 {
	if !c.optional(key) {
		return 0
	}
	return c.int()
}

// raw steps over a string and returns it with its quotes, and whether it is what it
// says: ASCII without an escape.
func (c *cursor) raw() (quoted []byte, plain bool) {
	if c.at >= len(c.b) || c.b[c.at] != '"' {
		c.bad = true
		return nil, false
	}
	plain = true
	for i := c.at + 1; i < len(c.b); i++ {
		switch ch := c.b[i]; {
		case ch == '"':
			quoted = c.b[c.at : i+1]
			c.at = i + 1
			return quoted, plain
		case ch == '\\':
			plain = false
			i++ // whatever follows does not end the string
		case ch < ' ' || ch > '~':
			plain = false
		}
	}
	c.bad = true
	return nil, false
}

func (c *cursor) string() string {
	quoted, plain := c.raw()
	if c.bad {
		return ""
	}
	if plain {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		c.bad = true
	}
	return s
}

func (c *cursor) optionalString(key string) string {
	if !c.optional(key) {
		return ""
	}
	return c.string()
}

func (c *cursor) optionalText(key string) *string {
	if !c.optional(key) {
		return nil
	}
	s := c.string()
	return &s
}

// outcome is a string too, but one of few: no memory for those that are known.
func (c *cursor) outcome() Outcome {
	before := c.at
	if quoted, plain := c.raw(); plain {
		for _, o := range Outcomes {
			if string(quoted[1:len(quoted)-1]) == string(o) {
				return o
			}
		}
	}
	if c.bad {
		return ""
	}
	c.at = before
	return Outcome(c.string())
}

// optionalName is an optional string for which few values are usual.
func (c *cursor) optionalName(key string) string {
	if !c.optional(key) {
		return ""
	}
	for _, usual := range []string{`"length"`, `"stop"`} {
		if c.optional(usual) {
			return usual[1 : len(usual)-1]
		}
	}
	return c.string()
}

// events reads the columns. The first one that is there has no comma before its key.
func (c *cursor) events(e *Events) {
	comma := 1
	key := func(s string) bool {
		if !c.optional(s[comma:]) {
			return false
		}
		comma = 0
		return true
	}
	e.At = column(c, key(`,"at":[`), e.At, math.MinInt64, math.MaxInt64)
	e.Lag = column(c, key(`,"lag":[`), e.Lag, math.MinInt64, math.MaxInt64)
	e.Tokens = column(c, key(`,"tokens":[`), e.Tokens, math.MinInt64, math.MaxInt64)
	if key(`,"tokens_by":`) {
		e.TokensBy = c.string()
	}
	e.Kind = column(c, key(`,"kind":[`), e.Kind, 0, math.MaxUint16)
	e.Size = column(c, key(`,"size":[`), e.Size, math.MinInt64, math.MaxInt64)
	e.Open = column(c, key(`,"open":[`), e.Open, math.MinInt64, math.MaxInt64)
	e.Held = column(c, key(`,"held":[`), e.Held, math.MinInt64, math.MaxInt64)
	e.HeldNs = column(c, key(`,"held_ns":[`), e.HeldNs, math.MinInt64, math.MaxInt64)
}

// column reads numbers up to the closing bracket into the room of a column. A
// column that is not there is nil, as encoding/json has it; an empty one is
// nothing that we write.
func column[T int | int64 | EventKind](c *cursor, there bool, room []T, low, high int64) []T {
	if !there {
		return nil
	}
	room = room[:0]
	for {
		n := c.int()
		if c.bad || n < low || n > high || c.at == len(c.b) {
			break
		}
		room = append(room, T(n))
		next := c.b[c.at]
		c.at++
		if next == ']' {
			return room
		}
		if next != ',' {
			break
		}
	}
	c.bad = true
	return room
}
