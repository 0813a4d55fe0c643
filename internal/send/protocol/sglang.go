package protocol

import (
	"errors"
	"hash/maphash"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var sglangBackend = &Backend{Name: "sglang", Doc: "SGLang's /generate", Sampling: sglangSampling, Protocol: sglang}

var sglangSampling = sameNames("temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty", "repetition_penalty")

// sglang is SGLang's own API. Each event has the counts so far. Its text is all of the text
// so far, or with --incremental-streaming-output only its own. An answer that was not streamed is like the
// last event of one.
var sglang = &described{
	path: "/generate", suffix: "generate", body: sglangBody, event: sglangEvent, meaning: sglangMeaning,
	whole: &described{event: sglangEvent, meaning: func(d *decoder, data []byte, c *stream.Chunk) {
		sglangMeaning(d, data, c)
		c.TextIs = stream.TextNew
	}},
}

var sglangEvent = shape{
	{name: "text", take: func(d *decoder, c *stream.Chunk) {
		if d.scan.Next() == '"' {
			c.TextIs = stream.TextLikelySoFar
		}
		takeText(d, c)
	}},
	{name: "output_ids", take: func(d *decoder, _ *stream.Chunk) {
		at := d.scan.Mark()
		f := d.note()
		f.tokens = d.scan.Count()
		f.input = d.scan.Since(at)
	}},
	{name: "meta_info", in: shape{
		{name: "id", take: takeID},
		{name: "prompt_tokens", take: takePrompt},
		{name: "completion_tokens", take: takeOutput},
		{name: "cached_tokens", take: takeCached},
		{name: "finish_reason", take: takeSGLangFinish},
	}},
	{name: "error", take: takeError},
}.reader()

func sglangMeaning(d *decoder, _ []byte, c *stream.Chunk) {
	f := d.note()
	if c.TextIs == stream.TextLikelySoFar || f.tokens > 0 {
		c.Kind |= stream.EventChoices
	}
	if f.tokens > 0 {
		c.AllTokens = f.tokens == c.Usage.Output
		c.TokenHash = maphash.Bytes(idsSeed, f.input)
	}
}

var idsSeed = maphash.MakeSeed()

var sglangFinish = shape{
	{name: "type", take: func(d *decoder, c *stream.Chunk) { c.Finish = d.scan.Text() }},
	{name: "message", take: func(d *decoder, _ *stream.Chunk) { d.note().message = d.scan.Text() }},
}.reader()

// takeSGLangFinish takes the object that says why an answer ended. An abort is an error.
func takeSGLangFinish(d *decoder, c *stream.Chunk) {
	if d.scan.Next() == '{' {
		d.read(sglangFinish, c)
	} else {
		c.Finish = d.scan.Text()
	}
	switch message := d.note().message; {
	case len(c.Finish) == 0:
	case string(c.Finish) == "abort" && len(message) > 0:
		c.Error = message
	case string(c.Finish) == "abort":
		c.Error = c.Finish
	default:
		c.Kind |= stream.EventFinish
	}
}

func sglangBody(c *Call) (*body, error) {
	if !c.isText() {
		return nil, errors.New("/generate takes a text or token ids: use a chat backend for messages, images and sounds")
	}
	params := newBody(ordered.Object{{"max_new_tokens", c.MaxTokens}})
	if c.IgnoreEOS {
		params.Set("ignore_eos", true)
	}
	if err := params.setSampling(c, sglangSampling); err != nil {
		return nil, err
	}
	prompt := "text"
	if c.TokenIDs {
		prompt = "input_ids"
	}
	b := newBody(ordered.Object{{prompt, c.promptOrIDs()}, {"sampling_params", params}, {"stream", !c.NoStream}})
	return b, b.setExtra(c)
}
