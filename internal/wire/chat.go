package wire

import (
	"errors"

	"github.com/valyala/fastjson"
)

// chat is OpenAI's /v1/chat/completions as vLLM's client calls it: one user
// message whose content is a list with one text part.
type chat struct{}

func (chat) Path() string   { return "/v1/chat/completions" }
func (chat) Suffix() string { return "chat/completions" }

type message struct {
	Role    string `json:"role"`
	Content []part `json:"content"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (chat) AppendBody(dst []byte, c *Call) ([]byte, error) {
	var b body
	err := errors.Join(
		b.set("model", c.Model),
		b.set("messages", []message{{Role: "user", Content: []part{{Type: "text", Text: c.Prompt}}}}),
		b.set("max_completion_tokens", c.MaxTokens),
		b.set("stream", true),
		b.set("stream_options", includeUsage),
	)
	if err != nil {
		return nil, err
	}
	return b.finish(dst, c)
}

func (chat) Decode(p *fastjson.Parser, data []byte, c *Chunk) error {
	return openAI(p, data, c, func(choice *fastjson.Value, c *Chunk) {
		delta := choice.Get("delta")
		if c.Text = delta.GetStringBytes("content"); len(c.Text) > 0 {
			c.Kind |= EventText
		}
		c.Reasoning = delta.GetStringBytes("reasoning_content")
		if len(c.Reasoning) == 0 {
			c.Reasoning = delta.GetStringBytes("reasoning")
		}
		if len(c.Reasoning) > 0 {
			c.Kind |= EventReasoning
		}
		if len(delta.GetArray("tool_calls")) > 0 {
			c.Kind |= EventTool
		}
		if tokens := choice.GetArray("logprobs", "content"); tokens != nil {
			c.Tokens, c.TokensBy = len(tokens), TokensByLogprobs
		}
	})
}
