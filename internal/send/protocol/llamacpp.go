package protocol

import (
	"errors"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// llamaCPP is llama.cpp's own /completion. (Its /completions without /v1 is the same, and
// its /v1/completions is OpenAI's.) Each event counts the tokens so far.
var llamaCPP = &Backend{Name: "llamacpp", Doc: "llama.cpp's own completion", Sampling: llamaSampling, Protocol: llamaCompletion}

var llamaSampling = map[string]string{
	"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty",
	"presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty", "logprobs": "n_probs",
}

// llamaCompletion: an answer that was not streamed is the last event, with all of the text.
var llamaCompletion = &described{
	path: "/completion", suffix: "/completion", body: llamaBody, meaning: llamaMeaning, whole: &described{},
	event: shape{
		{name: "content", take: func(d *decoder, c *stream.Chunk) {
			takeText(d, c)
			c.Kind |= stream.EventChoices
		}},
		{name: "tokens", take: takeIDs},
		{name: "tokens_predicted", take: takeOutput},
		{name: "tokens_evaluated", take: takeWholePrompt}, // with what came from the cache
		{name: "timings", in: llamaTimings},
		{name: "stop", take: takeDone},
		{name: "stop_type", take: func(d *decoder, _ *stream.Chunk) { d.note().stop = d.scan.Text() }},
		{name: "prompt_progress", take: func(d *decoder, _ *stream.Chunk) { d.note().flag = d.scan.Value() != nil }},
		{name: "error", take: takeError},
	}.reader(),
}

func llamaMeaning(d *decoder, _ []byte, c *stream.Chunk) {
	switch {
	case d.noted && d.facts.flag && !c.Done: // it may list a token 0, which is none
		c.Kind, c.Tokens, c.TokensBy = 0, -1, stream.TokensUnknown
	case c.Done:
		c.Kind |= stream.EventChoices
		if c.Finish = llamaFinish(d.note().stop); c.Finish != nil {
			c.Kind |= stream.EventFinish
		}
	}
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

func llamaBody(c *Call) (*body, error) {
	if !c.isText() {
		return nil, errors.New("llama.cpp's completion takes a text: use a chat backend for messages, images and sounds")
	}
	b := newBody(ordered.Object{
		{"model", c.Model}, // a server of several models asks for it
		{"prompt", c.promptOrIDs()}, {"n_predict", c.MaxTokens}, {"stream", !c.NoStream}, {"return_tokens", true},
	})
	if c.IgnoreEOS {
		b.Set("ignore_eos", true)
	}
	if c.Logprobs != nil {
		b.Set("n_probs", *c.Logprobs)
	}
	return b, errors.Join(b.setSampling(c, llamaSampling), b.setExtra(c))
}
