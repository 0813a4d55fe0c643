package wire

import (
	"fmt"

	"github.com/valyala/fastjson"
)

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
	Finish    []byte
	Error     []byte // the server's words inside a 200
	ID        []byte // the answer's id
	Usage     Usage
	// Tokens is how many tokens the event carries, -1 when it doesn't say, and
	// TokensBy how it said it. With continuous usage the total is in Usage.
	Tokens   int
	TokensBy TokensBy
}

// Usage is the server's own count.
type Usage struct {
	Prompt, Output, Cached int
}

// TokensBy names the source of the tokens of an event, the better one the larger.
type TokensBy uint8

// The sources.
const (
	TokensUnknown TokensBy = iota
	TokensByLogprobs
	TokensByIDs
	TokensByUsage // continuous_usage_stats
)

func (t TokensBy) String() string {
	return [...]string{"", "logprobs", "token_ids", "usage"}[t]
}

// openAI decodes a message of an OpenAI-like stream; text finds the text in a choice.
func openAI(p *fastjson.Parser, data []byte, c *Chunk, text func(choice *fastjson.Value, c *Chunk)) error {
	*c = Chunk{Tokens: -1}
	v, err := p.ParseBytes(data)
	if err != nil {
		return fmt.Errorf("an event is not JSON: %w", err)
	}
	if v.Type() != fastjson.TypeObject {
		return fmt.Errorf("an event is no JSON object but a %s", v.Type())
	}
	if e := v.Get("error"); e != nil && e.Type() != fastjson.TypeNull {
		c.Error = errorWords(e, data)
		return nil
	}
	c.ID = v.GetStringBytes("id")
	if choices := v.GetArray("choices"); len(choices) > 0 {
		c.Kind |= EventChoices
		choice := choices[0]
		if finish := choice.GetStringBytes("finish_reason"); len(finish) > 0 {
			c.Kind |= EventFinish
			c.Finish = finish
		}
		text(choice, c)
		if ids := choice.GetArray("token_ids"); ids != nil {
			c.Tokens, c.TokensBy = len(ids), TokensByIDs
		}
	} else if v.GetStringBytes("object") != nil && v.Get("message") != nil && v.Get("choices") == nil {
		// vLLM before 0.9 sends an error event as {"object":"error","message":…}.
		if string(v.GetStringBytes("object")) == "error" {
			c.Error = errorWords(v, data)
			return nil
		}
	}
	if u := v.Get("usage"); u != nil && u.Type() == fastjson.TypeObject {
		c.Kind |= EventUsage
		c.Usage = Usage{
			Prompt: u.GetInt("prompt_tokens"),
			Output: u.GetInt("completion_tokens"),
			Cached: u.GetInt("prompt_tokens_details", "cached_tokens"),
		}
	}
	return nil
}

// errorWords are the message of an error object, or all of it.
func errorWords(e *fastjson.Value, data []byte) []byte {
	if m := e.GetStringBytes("message"); len(m) > 0 {
		return m
	}
	if e.Type() == fastjson.TypeString {
		return e.GetStringBytes()
	}
	return data
}
