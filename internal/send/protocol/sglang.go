package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
)

var sglangBackend = &Backend{
	Name: "sglang", Doc: "SGLang's /generate", Protocol: sglang{},
	Sampling: map[string]string{
		"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p",
		"frequency_penalty": "frequency_penalty", "presence_penalty": "presence_penalty", "repetition_penalty": "repetition_penalty",
	},
}

// sglang is SGLang's own API. Each event has the counts so far. Its text is all of the text
// so far, or with --incremental-streaming-output only its own.
type sglang struct{}

func (sglang) Path() string   { return "/generate" }
func (sglang) Suffix() string { return "generate" }

func (sglang) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("/generate takes a text or token ids: use a chat backend for messages, images and sounds")
	}
	var b, params body
	err := params.set("max_new_tokens", c.MaxTokens)
	if c.IgnoreEOS {
		err = errors.Join(err, params.set("ignore_eos", true))
	}
	err = errors.Join(err, params.setSampling(c, sglangBackend.Sampling))
	if c.TokenIDs {
		err = errors.Join(err, b.set("input_ids", json.RawMessage(c.Prompt)))
	} else {
		err = errors.Join(err, b.set("text", c.Prompt))
	}
	if err != nil {
		return nil, err
	}
	return b.nest(dst, c, "sampling_params", &params, Field{Name: "stream", Value: boolean(!c.NoStream)})
}

func boolean(v bool) json.RawMessage {
	if v {
		return json.RawMessage("true")
	}
	return json.RawMessage("false")
}

// nest writes a body whose settings lie in an object inside it. An object of the same name
// among the user's own fields is laid over it.
func (b *body) nest(dst []byte, c *Call, name string, inner *body, more ...Field) ([]byte, error) {
	own := *c
	own.Extra = nil
	for _, f := range c.Extra {
		if f.Sampling || f.Name != name {
			own.Extra = append(own.Extra, f)
			continue
		}
		if err := inner.lay(f.Value); err != nil {
			return nil, fmt.Errorf("the field %s: %w", name, err)
		}
	}
	raw, err := inner.append(nil)
	if err != nil {
		return nil, err
	}
	err = b.set(name, json.RawMessage(raw))
	for _, f := range more {
		err = errors.Join(err, b.set(f.Name, f.Value))
	}
	if err := errors.Join(err, b.setExtra(&own)); err != nil {
		return nil, err
	}
	return b.append(dst)
}

// lay sets all fields of an object.
func (b *body) lay(object json.RawMessage) error {
	var s scanner
	s.reset(object)
	var err error
	s.object(func(name []byte) {
		s.next()
		start := s.pos
		s.skip()
		word := string(appendUnescaped(nil, name))
		err = errors.Join(err, b.set(word, json.RawMessage(s.data[min(start, s.pos):s.pos])))
	})
	s.end()
	return errors.Join(err, s.err)
}

func (sglang) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	ids, start, end := -1, 0, 0
	s.object(func(name []byte) {
		switch string(name) {
		case "text":
			if s.next() == '"' {
				c.TextIs = TextLikelySoFar
			}
			if c.Text = s.string(); len(c.Text) > 0 {
				c.Kind |= EventText
			}
		case "output_ids":
			s.next()
			start = s.pos
			ids = s.count()
			end = s.pos
		case "meta_info":
			d.sglangMeta(c)
		case "error":
			c.Error = d.errorWords()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	if c.TextIs == TextLikelySoFar || ids > 0 {
		c.Kind |= EventChoices
	}
	if ids > 0 {
		c.AllTokens = ids == c.Usage.Output
		c.TokenHash = maphash.Bytes(idsSeed, data[start:end])
	}
	return nil
}

var idsSeed = maphash.MakeSeed()

// DecodeAnswer reads an answer that was not streamed: it is like the last event of one.
func (p sglang) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	err := p.Decode(d, data, c)
	c.TextIs = TextNew
	return err
}

// sglangMeta reads the counts, and why the answer ended.
func (d *Decoder) sglangMeta(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	s.object(func(name []byte) {
		switch string(name) {
		case "id":
			c.ID = s.string()
		case "prompt_tokens":
			c.Usage.Prompt = s.tokens("prompt_tokens")
		case "completion_tokens":
			c.Usage.Output = s.tokens("completion_tokens")
			c.Kind |= EventUsage
		case "cached_tokens":
			s.cached(c)
		case "finish_reason":
			d.sglangFinish(c)
		default:
			s.skip()
		}
	})
}

// sglangFinish reads the object that says why an answer ended. An abort is an error.
func (d *Decoder) sglangFinish(c *Chunk) {
	s := &d.scan
	var message []byte
	if s.next() == '{' {
		s.object(func(name []byte) {
			switch string(name) {
			case "type":
				c.Finish = s.string()
			case "message":
				message = s.string()
			default:
				s.skip()
			}
		})
	} else {
		c.Finish = s.string()
	}
	switch {
	case len(c.Finish) == 0:
	case string(c.Finish) == "abort" && len(message) > 0:
		c.Error = message
	case string(c.Finish) == "abort":
		c.Error = c.Finish
	default:
		c.Kind |= EventFinish
	}
}
