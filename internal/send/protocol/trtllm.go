package protocol

import (
	"errors"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// trtLLM is Triton's generate extension with the models of its TensorRT-LLM backend. One
// without --model is the backend's own name for the whole of tokenizer, engine and
// detokenizer.
var trtLLM = &Backend{
	Name: "trtllm", Doc: "Triton's generate_stream with TensorRT-LLM", Model: "ensemble", EndsWithBody: true,
	Lacks: Lacks{TokenIDs: true}, Sampling: tritonSampling, Protocol: generateStream,
}

// tritonSampling are the inputs that the backend's models have. It has none for min_p.
var tritonSampling = sameNames("temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "repetition_penalty")

// generateStream: an event is a response of the model, each output by its name. An output of one value is
// that value, and not a list.
var generateStream = &described{
	path: "/v2/models/" + ModelInPath + "/generate_stream", suffix: "/generate_stream", body: generateBody, meaning: generateMeaning,
	event: shape{
		{name: "text_output", take: first(takeText)},
		{name: "num_input_tokens", take: first(takePrompt)},
		{name: "num_output_tokens", take: first(func(d *decoder, c *stream.Chunk) {
			takeOutput(d, c)
			c.OwnCount = true
		})},
		{name: "finish_reason", take: first(takeFinish)}, // of Triton's vLLM backend, where it is asked for
		{name: "id", take: takeID},
		{name: "error", take: takeError},
	}.reader(),
}

func generateMeaning(_ *decoder, _ []byte, c *stream.Chunk) {
	if c.Kind&(stream.EventText|stream.EventFinish) != 0 || c.OwnCount && c.Usage.Output > 0 {
		c.Kind |= stream.EventChoices
	}
	c.TextIs = stream.TextLikelyNew
}

// first takes a value, or the first of a list of them.
func first(take take) take {
	return func(d *decoder, c *stream.Chunk) {
		s := &d.scan
		if s.Next() != '[' {
			take(d, c)
			return
		}
		s.Elements(func(i int) {
			if i > 0 || s.Next() == '[' {
				s.Skip()
			} else {
				take(d, c)
			}
		})
	}
}

var errTextOnly = errors.New("this protocol takes a text: no token ids, messages, images, sounds or lists")

func generateBody(c *Call) (*body, error) {
	if !c.isText() || c.TokenIDs {
		return nil, errTextOnly
	}
	b := newBody(ordered.Object{
		{"text_input", c.Prompt},
		{"max_tokens", c.MaxTokens},
		{"stream", true},
		// What a model has no input for becomes a parameter, which it does not look at.
		{"return_num_input_tokens", true},
		{"return_num_output_tokens", true},
	})
	if c.IgnoreEOS { // the second is what the first was called before
		b.Set("min_tokens", c.MaxTokens)
		b.Set("min_length", c.MaxTokens)
	}
	return b, errors.Join(b.setSampling(c, tritonSampling), b.setExtra(c))
}
