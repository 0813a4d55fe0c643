package protocol

import "github.com/inferometer/inferometer/internal/send/protocol/stream"

// openAIEvent is a message of an OpenAI-like stream; choice is what is read of its first choice.
func openAIEvent(choice shape) *reader {
	return shape{
		{name: "id", take: takeID},
		{name: "choices", take: takeChoices(append(choice,
			field{name: "finish_reason", take: takeFinish},
			field{name: "token_ids", take: takeIDs},
		))},
		{name: "usage", take: takeUsage(openAIUsage)},
		{name: "timings", in: llamaTimings},
		{name: "error", take: takeError},
		{name: "object", take: func(d *decoder, _ *stream.Chunk) {
			if string(d.scan.Raw()) == "error" {
				d.note().flag = true
			}
		}},
		{name: "message", take: func(d *decoder, _ *stream.Chunk) { d.note().message = d.scan.Text() }},
	}.reader()
}

var openAIUsage = shape{
	{name: "prompt_tokens", take: takePrompt},
	{name: "completion_tokens", take: takeOutput},
	{name: "prompt_tokens_details", in: shape{{name: "cached_tokens", take: takeCached}}},
	{name: "completion_tokens_details", in: shape{{name: "reasoning_tokens", take: takeThought}}},
	{name: "reasoning_tokens", take: takeThought}, // SGLang
}

// llamaTimings is the object that llama.cpp tells its times in.
var llamaTimings = shape{
	{name: "prompt_ms", take: func(d *decoder, c *stream.Chunk) { c.Timings.PromptNs = d.nanoseconds(1e6) }},
	{name: "predicted_ms", take: func(d *decoder, c *stream.Chunk) { c.Timings.OutputNs = d.nanoseconds(1e6) }},
	{name: "prompt_n", take: func(d *decoder, c *stream.Chunk) { c.Timings.Computed, _, _ = d.scan.Number(stream.MaxTokenCount) }},
	{name: "predicted_n", take: func(d *decoder, c *stream.Chunk) { c.Timings.Output, _, _ = d.scan.Number(stream.MaxTokenCount) }},
	{name: "cache_n", take: takeCached},
}

// openAIMeaning finds the words of an error as vLLM before 0.9 says it: {"object":"error","message":…}.
func openAIMeaning(d *decoder, _ []byte, c *stream.Chunk) {
	if d.noted && c.Error == nil && d.facts.message != nil && d.facts.flag {
		c.Error = d.facts.message
	}
}

// takeChoices reads the first choice. A list that is not empty makes a token chunk.
func takeChoices(choice shape) take {
	r := choice.reader()
	return func(d *decoder, c *stream.Chunk) {
		s, first := &d.scan, true
		for open := s.Open('['); open; open = s.More(']') {
			c.Kind |= stream.EventChoices
			if first {
				d.read(r, c)
			} else {
				s.Skip()
			}
			first = false
		}
	}
}

// takeLogprobs counts the tokens of a list inside the object logprobs.
func takeLogprobs(d *decoder, c *stream.Chunk) {
	if n := d.scan.Count(); n >= 0 && c.TokensBy < stream.TokensByLogprobs {
		c.Tokens, c.TokensBy = n, stream.TokensByLogprobs
	}
}
