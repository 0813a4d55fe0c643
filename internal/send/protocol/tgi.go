package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

var tgiBackend = &Backend{
	Name: "tgi", Doc: "TGI's /generate_stream", Protocol: tgi{path: "/generate_stream"},
	Lacks: Lacks{IgnoreEOS: true, TokenIDs: true},
	Sampling: map[string]string{
		"temperature": "temperature", "top_p": "top_p", "top_k": "top_k",
		"frequency_penalty": "frequency_penalty", "repetition_penalty": "repetition_penalty",
	},
}

// tgi is the own API of Hugging Face's text-generation-inference. An event is one token,
// and the last one has the counts.
type tgi struct{ path string }

func (p tgi) Path() string   { return p.path }
func (p tgi) Suffix() string { return p.path[1:] }

// Unstreamed has a path of its own.
func (tgi) Unstreamed() Protocol { return tgi{path: "/generate"} }

func (tgi) AppendBody(dst []byte, c *Call) ([]byte, error) {
	switch {
	case c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil:
		return nil, errors.New("TGI's own API takes a text: use openai-chat for messages and images")
	case c.TokenIDs:
		return nil, errors.New("TGI takes no token ids as a prompt")
	case c.IgnoreEOS:
		return nil, errors.New("TGI has no word for ignore_eos")
	}
	var b, params body
	err := errors.Join(b.set("inputs", c.Prompt), params.set("max_new_tokens", c.MaxTokens), params.set("details", true))
	sampling, err2 := tgiSampling(c)
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	for _, f := range sampling {
		if err := params.set(f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	return b.nest(dst, c, "parameters", &params)
}

// tgiSampling says what is asked for in TGI's way. It refuses the values that mean "off"
// elsewhere (a temperature of 0, top_p of 1, top_k below 1), and samples only if told to.
func tgiSampling(c *Call) (fields []Field, err error) {
	greedy, warped := false, false
	for _, f := range c.Extra {
		if !f.Sampling {
			continue
		}
		if tgiBackend.Sampling[f.Name] == "" {
			return nil, fmt.Errorf("TGI has no word for %s", f.Name)
		}
		v, err := strconv.ParseFloat(string(f.Value), 64)
		if err != nil {
			return nil, fmt.Errorf("%s is no number: %s", f.Name, f.Value)
		}
		switch f.Name {
		case "temperature":
			greedy = v == 0
			fields = append(fields, Field{Name: "do_sample", Value: boolean(!greedy)})
			if greedy {
				continue
			}
		case "top_p":
			if v >= 1 {
				continue
			}
			warped = true
		case "top_k":
			if v < 1 {
				continue
			}
			warped = true
		}
		fields = append(fields, Field{Name: f.Name, Value: f.Value})
	}
	if greedy && warped {
		return nil, errors.New("TGI samples as soon as top_p or top_k is sent: leave them out with a temperature of 0")
	}
	return slices.Clip(fields), nil
}

func (tgi) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	s.object(func(name []byte) {
		switch string(name) {
		case "token":
			d.tgiToken(c)
		case "generated_text": // null before the end
			c.Done = s.next() == '"'
			s.skip()
		default:
			d.tgiRest(name, c)
		}
	})
	return s.finish()
}

// DecodeAnswer reads an answer that was not streamed.
func (tgi) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	s.object(func(name []byte) {
		if string(name) != "generated_text" {
			d.tgiRest(name, c)
			return
		}
		c.Kind |= EventChoices
		if c.Text = s.string(); len(c.Text) > 0 {
			c.Kind |= EventText
		}
	})
	return s.finish()
}

// tgiToken reads an event's token. The text of a special one is no part of the answer.
func (d *Decoder) tgiToken(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	c.Kind |= EventChoices
	c.Tokens, c.TokensBy = 1, TokensByIDs
	special := false
	s.object(func(name []byte) {
		switch string(name) {
		case "text":
			c.Text = s.string()
		case "special":
			special = s.next() == 't'
			s.skip()
		default:
			s.skip()
		}
	})
	if special {
		c.Text = nil
	}
	if len(c.Text) > 0 {
		c.Kind |= EventText
	}
}

// tgiRest reads what events and whole answers share.
func (d *Decoder) tgiRest(name []byte, c *Chunk) {
	s := &d.scan
	switch {
	case string(name) == "error":
		c.Error = d.errorWords()
	case string(name) == "details" && s.next() == '{':
		s.object(func(name []byte) {
			switch string(name) {
			case "finish_reason":
				if c.Finish = s.string(); len(c.Finish) > 0 {
					c.Kind |= EventFinish
				}
			case "generated_tokens":
				c.Usage.Output = s.tokens("generated_tokens")
				c.Kind |= EventUsage
			case "input_length":
				c.Usage.Prompt = s.tokens("input_length")
			default:
				s.skip()
			}
		})
	default:
		s.skip()
	}
}
