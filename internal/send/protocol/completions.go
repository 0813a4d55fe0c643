package protocol

import (
	"encoding/json"
	"errors"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// vLLM's client knows the same protocol by two names.
var (
	vllm   = &Backend{Name: "vllm", Doc: "completions", Echoes: true, Protocol: completions}
	openAI = &Backend{Name: "openai", Doc: "completions", Echoes: true, Protocol: completions}
)

// completions is OpenAI's /v1/completions as vLLM's client calls it. The choice of an answer that was not
// streamed has the same fields.
var completions = &described{
	path: "/v1/completions", suffix: "completions", body: completionsBody, meaning: openAIMeaning, whole: &described{},
	event: openAIEvent(shape{
		{name: "text", take: takeText},
		{name: "logprobs", take: func(d *decoder, c *stream.Chunk) {
			if d.echo != nil {
				d.read(echoFields, c)
			} else {
				d.read(completionsLogprobs, c)
			}
		}},
	}),
}

var completionsLogprobs = shape{{name: "tokens", take: takeLogprobs}}.reader()

func completionsBody(c *Call) (*body, error) {
	if !c.isText() {
		return nil, errors.New("completions take a text: use a chat backend for messages, images and sounds, and a pooling backend for lists")
	}
	var logprobs any = c.Logprobs
	if c.Echo {
		logprobs = 1
	}
	b := newBody(ordered.Object{
		{"model", c.Model}, {"prompt", c.promptOrIDs()}, {"repetition_penalty", json.RawMessage("1.0")}, {"max_tokens", c.MaxTokens}, {"logprobs", logprobs},
	})
	b.stream(c)
	if c.Echo {
		b.Set("echo", true)
		b.Set("temperature", 0)
	}
	b.finish(c)
	return b, nil
}
