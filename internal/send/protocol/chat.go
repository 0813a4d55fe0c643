package protocol

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var openAIChat = &Backend{Name: "openai-chat", Doc: "chat completions", Chat: true, Images: true, Sounds: true, Protocol: chat}

// chat is OpenAI's /v1/chat/completions as vLLM's client calls it: one user message whose content is a
// list with one text part. The choice of an answer that was not streamed has a message where an event has
// a delta.
var chat = &described{
	path: "/v1/chat/completions", suffix: "chat/completions", body: chatBody, event: chatEvent, meaning: openAIMeaning, whole: &described{},
}

var (
	chatEvent = openAIEvent(shape{
		{name: "delta", in: chatDelta},
		{name: "message", in: chatDelta},
		{name: "logprobs", in: shape{{name: "content", take: takeLogprobs}}},
	})
	chatDelta = shape{
		{name: "content", take: takeText},
		{name: "reasoning_content", take: takeReasoning},
		{name: "reasoning", take: takeReasoning},
		{name: "tool_calls", take: func(d *decoder, c *stream.Chunk) {
			at := d.scan.Mark()
			if d.scan.Count() > 0 {
				c.Kind |= stream.EventTool
				c.Tools = d.scan.Since(at)
			}
		}},
	}
)

func chatBody(c *Call) (*body, error) {
	messages, err := chatMessages(c, c.Prompt, false)
	if err != nil {
		return nil, err
	}
	b := newBody(ordered.Object{{"model", c.Model}, {"messages", messages}, {"max_completion_tokens", c.MaxTokens}})
	b.stream(c)
	if c.OldLimit {
		b.Set("max_tokens", c.MaxTokens)
	}
	b.finish(c)
	return b, nil
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
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
