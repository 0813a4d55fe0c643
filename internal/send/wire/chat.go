package wire

import (
	"encoding/json"
	"errors"
)

var openAIChat = &Backend{Name: "openai-chat", Doc: "chat completions", Chat: true, Protocol: chat{}}

// chat is OpenAI's /v1/chat/completions as vLLM's client calls it: one user
// message whose content is a list with one text part.
type chat struct{}

func (chat) Path() string   { return "/v1/chat/completions" }
func (chat) Suffix() string { return "chat/completions" }

type message struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (chat) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.TokenIDs {
		return nil, errors.New("chat takes messages, not token ids: use completions")
	}
	messages, err := chatMessages(c)
	if err != nil {
		return nil, err
	}
	var b body
	err = errors.Join(
		b.set("model", c.Model),
		b.set("messages", messages),
		b.set("max_completion_tokens", c.MaxTokens),
		b.set("stream", true),
		b.set("stream_options", includeUsage),
	)
	if c.OldLimit {
		err = errors.Join(err, b.set("max_tokens", c.MaxTokens))
	}
	if err != nil {
		return nil, err
	}
	return b.finish(dst, c)
}

// chatMessages is the list of messages of a call.
func chatMessages(c *Call) (json.RawMessage, error) {
	if c.Messages != nil {
		return c.Messages, nil
	}
	text, err := marshal(part{Type: "text", Text: c.Prompt})
	if err != nil {
		return nil, err
	}
	return marshal([]message{{Role: "user", Content: append([]json.RawMessage{text}, c.Media...)}})
}

func (chat) Decode(d *Decoder, data []byte, c *Chunk) error {
	return d.openAI(data, c, chatChoice)
}

func chatChoice(s *scanner, name []byte, c *Chunk) {
	switch string(name) {
	case "delta":
		if s.next() != '{' {
			s.skip()
			return
		}
		s.object(func(name []byte) { chatDelta(s, name, c) })
	case "logprobs":
		s.logprobs("content", c)
	default:
		s.skip()
	}
}

func chatDelta(s *scanner, name []byte, c *Chunk) {
	switch string(name) {
	case "content":
		if c.Text = s.string(); len(c.Text) > 0 {
			c.Kind |= EventText
		}
	case "reasoning_content", "reasoning":
		if words := s.string(); len(words) > 0 {
			c.Reasoning = words
			c.Kind |= EventReasoning
		}
	case "tool_calls":
		s.next()
		start := s.pos
		if s.count() > 0 {
			c.Kind |= EventTool
			c.Tools = s.data[min(start, s.pos):s.pos]
		}
	default:
		s.skip()
	}
}
