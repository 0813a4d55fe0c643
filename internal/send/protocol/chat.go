package protocol

import (
	"encoding/json"
	"errors"
	"slices"
)

var openAIChat = &Backend{Name: "openai-chat", Doc: "chat completions", Chat: true, Images: true, Sounds: true, Protocol: chat{}}

// chat is OpenAI's /v1/chat/completions as vLLM's client calls it: one user
// message whose content is a list with one text part.
type chat struct{}

func (chat) Path() string   { return "/v1/chat/completions" }
func (chat) Suffix() string { return "chat/completions" }

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (chat) AppendBody(dst []byte, c *Call) ([]byte, error) {
	messages, err := chatMessages(c, c.Prompt, false)
	if err != nil {
		return nil, err
	}
	var b body
	err = errors.Join(
		b.set("model", c.Model),
		b.set("messages", messages),
		b.set("max_completion_tokens", c.MaxTokens),
		b.stream(c),
	)
	if c.OldLimit {
		err = errors.Join(err, b.set("max_tokens", c.MaxTokens))
	}
	if err != nil {
		return nil, err
	}
	return b.finish(dst, c)
}

// chatMessages is the list of messages of a call, with a text of the caller's choice in
// front of its media or behind them.
func chatMessages(c *Call, words string, mediaFirst bool) (json.RawMessage, error) {
	if c.TokenIDs || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("chat takes messages, not token ids, lists of texts or files: use another backend")
	}
	if c.Messages != nil {
		return c.Messages, nil
	}
	text, err := marshal(part{Type: "text", Text: words})
	if err != nil {
		return nil, err
	}
	parts := append([]json.RawMessage{text}, c.Media...)
	if mediaFirst {
		parts = append(slices.Clone(c.Media), text)
	}
	// By hand: an encoder would read an image's megabytes some times over.
	size := 0
	for _, p := range parts {
		size += len(p) + 1
	}
	list := append(make([]byte, 0, size+40), `[{"role":"user","content":[`...)
	for i, p := range parts {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, p...)
	}
	return append(list, "]}]"...), nil
}

func (chat) Decode(d *Decoder, data []byte, c *Chunk) error {
	return d.openAI(data, c, chatChoice)
}

// DecodeAnswer reads an answer that was not streamed: its choice has a message where an
// event has a delta.
func (p chat) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error { return p.Decode(d, data, c) }

func chatChoice(s *scanner, name []byte, c *Chunk) {
	switch string(name) {
	case "delta", "message":
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
