package protocol

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var tgiBackend = &Backend{
	Name: "tgi", Doc: "TGI's /generate_stream", Lacks: Lacks{IgnoreEOS: true, TokenIDs: true}, Sampling: tgiSampling, Protocol: tgi,
}

var tgiSampling = sameNames("temperature", "top_p", "top_k", "frequency_penalty", "repetition_penalty")

// tgi is the own API of Hugging Face's text-generation-inference. An event is one token,
// and the last one has the counts. Answers that are no streams have a path of their own.
var tgi = &described{
	path: "/generate_stream", suffix: "generate_stream", body: tgiBody,
	event: shape{
		{name: "token", take: takeTGIToken},
		{name: "generated_text", take: func(d *decoder, c *stream.Chunk) { c.Done = d.scan.ValueOf('"') != nil }}, // null before the end
		{name: "details", in: tgiDetails},
		{name: "error", take: takeError},
	}.reader(),
	whole: &described{path: "/generate", suffix: "generate", event: shape{
		{name: "generated_text", take: func(d *decoder, c *stream.Chunk) {
			c.Kind |= stream.EventChoices
			takeText(d, c)
		}},
		{name: "details", in: tgiDetails},
		{name: "error", take: takeError},
	}.reader()},
}

var tgiDetails = shape{
	{name: "finish_reason", take: takeFinish},
	{name: "generated_tokens", take: takeOutput},
	{name: "input_length", take: takePrompt},
}

var tgiToken = shape{
	{name: "text", take: takeText},
	{name: "special", take: func(d *decoder, _ *stream.Chunk) {
		if d.scan.True() {
			d.note().flag = true
		}
	}},
}.reader()

// takeTGIToken takes an event's token. The text of a special one is no part of the answer.
func takeTGIToken(d *decoder, c *stream.Chunk) {
	if d.scan.Next() == '{' {
		c.Kind |= stream.EventChoices
		c.Tokens, c.TokensBy = 1, stream.TokensByIDs
	}
	d.read(tgiToken, c)
	if d.noted && d.facts.flag {
		c.Text, c.Kind = nil, c.Kind&^stream.EventText
	}
}

func tgiBody(c *Call) (*body, error) {
	switch {
	case !c.isText():
		return nil, errors.New("TGI's own API takes a text: use openai-chat for messages and images")
	case c.TokenIDs:
		return nil, errors.New("TGI takes no token ids as a prompt")
	case c.IgnoreEOS:
		return nil, errors.New("TGI has no word for ignore_eos")
	}
	params := newBody(ordered.Object{{"max_new_tokens", c.MaxTokens}, {"details", true}})
	if err := setTGISampling(params, c); err != nil {
		return nil, err
	}
	b := newBody(ordered.Object{{"inputs", c.Prompt}, {"parameters", params}})
	return b, b.setExtra(c)
}

// setTGISampling says what is asked for in TGI's way. It refuses the values that mean "off"
// elsewhere (a temperature of 0, top_p of 1, top_k below 1), and samples only if told to.
func setTGISampling(params *body, c *Call) error {
	greedy, warped := false, false
	for _, f := range c.Extra {
		if !f.Sampling {
			continue
		}
		if tgiSampling[f.Name] == "" {
			return fmt.Errorf("TGI has no word for %s", f.Name)
		}
		v, err := strconv.ParseFloat(string(f.Value), 64)
		if err != nil {
			return fmt.Errorf("%s is no number: %s", f.Name, f.Value)
		}
		switch f.Name {
		case "temperature":
			greedy = v == 0
			params.Set("do_sample", !greedy)
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
		params.Set(f.Name, f.Value)
	}
	if greedy && warped {
		return errors.New("TGI samples as soon as top_p or top_k is sent: leave them out with a temperature of 0")
	}
	return nil
}
