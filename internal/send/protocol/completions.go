package protocol

import (
	"encoding/json"
	"errors"
)

// vLLM's client knows the same protocol by two names.
var (
	vllm   = &Backend{Name: "vllm", Doc: "completions", Echoes: true, Protocol: completions{}}
	openAI = &Backend{Name: "openai", Doc: "completions", Echoes: true, Protocol: completions{}}
)

// completions is OpenAI's /v1/completions as vLLM's client calls it.
type completions struct{}

func (completions) Path() string   { return "/v1/completions" }
func (completions) Suffix() string { return "completions" }

func (completions) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("completions take a text: use a chat backend for messages, images and sounds, and a pooling backend for lists")
	}
	var b body
	logprobs := json.RawMessage("null")
	if c.Echo {
		logprobs = json.RawMessage("1")
	} else if c.Logprobs != nil {
		logprobs, _ = json.Marshal(*c.Logprobs) // an int always marshals
	}
	var prompt any = c.Prompt
	if c.TokenIDs {
		prompt = json.RawMessage(c.Prompt)
	}
	err := errors.Join(
		b.set("model", c.Model),
		b.set("prompt", prompt),
		b.set("repetition_penalty", json.RawMessage("1.0")),
		b.set("max_tokens", c.MaxTokens),
		b.set("logprobs", logprobs),
		b.stream(c),
	)
	if c.Echo {
		err = errors.Join(err, b.set("echo", true), b.set("temperature", 0))
	}
	if err != nil {
		return nil, err
	}
	return b.finish(dst, c)
}

func (completions) Decode(d *Decoder, data []byte, c *Chunk) error {
	return d.openAI(data, c, completionsChoice)
}

// DecodeAnswer reads an answer that was not streamed: its choice has the same fields.
func (p completions) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	if d.echo == nil {
		return p.Decode(d, data, c)
	}
	return d.openAI(data, c, func(s *scanner, name []byte, c *Chunk) {
		if string(name) == "logprobs" {
			d.echoed()
			return
		}
		completionsChoice(s, name, c)
	})
}

func completionsChoice(s *scanner, name []byte, c *Chunk) {
	switch string(name) {
	case "text":
		if c.Text = s.string(); len(c.Text) > 0 {
			c.Kind |= EventText
		}
	case "logprobs":
		s.logprobs("tokens", c)
	default:
		s.skip()
	}
}
