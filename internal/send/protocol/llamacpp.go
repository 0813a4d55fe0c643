package protocol

import (
	"encoding/json"
	"errors"
)

// llamaCPP is llama.cpp's own /completion. (Its /completions without /v1 is the same, and
// its /v1/completions is OpenAI's.) Each event counts the tokens so far.
var llamaCPP = &Backend{
	Name: "llamacpp", Doc: "llama.cpp's own completion", Protocol: llamaCompletion{},
	Sampling: map[string]string{
		"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty",
		"presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty", "logprobs": "n_probs",
	},
}

type llamaCompletion struct{}

func (llamaCompletion) Path() string   { return "/completion" }
func (llamaCompletion) Suffix() string { return "/completion" }

func (llamaCompletion) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("llama.cpp's completion takes a text: use a chat backend for messages, images and sounds")
	}
	var prompt any = c.Prompt
	if c.TokenIDs {
		prompt = json.RawMessage(c.Prompt)
	}
	var b body
	err := errors.Join(
		b.set("model", c.Model), // a server of several models asks for it
		b.set("prompt", prompt),
		b.set("n_predict", c.MaxTokens),
		b.set("stream", !c.NoStream),
		b.set("return_tokens", true),
	)
	if c.IgnoreEOS {
		err = errors.Join(err, b.set("ignore_eos", true))
	}
	if c.Logprobs != nil {
		err = errors.Join(err, b.set("n_probs", *c.Logprobs))
	}
	if err = errors.Join(err, b.setSampling(c, llamaCPP.Sampling), b.setExtra(c)); err != nil {
		return nil, err
	}
	return b.append(dst)
}

func (llamaCompletion) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	var stopType []byte
	progress := false
	s.object(func(name []byte) {
		switch string(name) {
		case "content":
			if c.Text = s.string(); len(c.Text) > 0 {
				c.Kind |= EventText
			}
			c.Kind |= EventChoices
		case "tokens":
			if n := s.count(); n >= 0 {
				c.Tokens, c.TokensBy = n, TokensByIDs
			}
		case "tokens_predicted":
			c.Usage.Output = s.tokens("tokens_predicted")
			c.Kind |= EventUsage
		case "tokens_evaluated": // the whole prompt, with what came from the cache
			c.Usage.Prompt = s.tokens("tokens_evaluated")
			c.Kind |= EventUsage
		case "timings":
			d.timings(c)
		case "stop":
			c.Done = s.true()
		case "stop_type":
			stopType = s.string()
		case "prompt_progress":
			s.skip()
			progress = true
		case "error":
			c.Error = d.errorWords()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	switch {
	case progress && !c.Done: // it may list a token 0, which is none
		c.Kind, c.Tokens, c.TokensBy = 0, -1, TokensUnknown
	case c.Done:
		c.Kind |= EventChoices
		if c.Finish = llamaFinish(stopType); c.Finish != nil {
			c.Kind |= EventFinish
		}
	}
	return nil
}

// DecodeAnswer reads an answer that was not streamed: it is the last event, with all of the text.
func (p llamaCompletion) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	return p.Decode(d, data, c)
}

// llamaFinish is a stop_type in OpenAI's words.
func llamaFinish(stopType []byte) []byte {
	switch string(stopType) {
	case "eos", "word":
		return finishStop
	case "limit":
		return finishLength
	case "", "none":
		return nil
	}
	return stopType
}
