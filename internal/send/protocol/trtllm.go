package protocol

import (
	"errors"
)

// trtLLM is Triton's generate extension with the models of its TensorRT-LLM backend. One
// without --model is the backend's own name for the whole of tokenizer, engine and
// detokenizer.
var trtLLM = &Backend{
	Name: "trtllm", Doc: "Triton's generate_stream with TensorRT-LLM", Model: "ensemble", EndsWithBody: true,
	Lacks: Lacks{TokenIDs: true}, Sampling: tritonSampling, Protocol: generateStream{},
}

// tritonSampling are the inputs that the backend's models have. It has none for min_p.
var tritonSampling = sameNames("temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "repetition_penalty")

func sameNames(names ...string) map[string]string {
	same := map[string]string{}
	for _, name := range names {
		same[name] = name
	}
	return same
}

type generateStream struct{}

func (generateStream) Path() string   { return "/v2/models/" + ModelInPath + "/generate_stream" }
func (generateStream) Suffix() string { return "/generate_stream" }

var errTextOnly = errors.New("this protocol takes a text: no token ids, messages, images, sounds or lists")

// onlyText refuses what is not one text.
func (c *Call) onlyText() error {
	if c.TokenIDs || c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil {
		return errTextOnly
	}
	return nil
}

func (generateStream) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if err := c.onlyText(); err != nil {
		return nil, err
	}
	var b body
	err := errors.Join(
		b.set("text_input", c.Prompt),
		b.set("max_tokens", c.MaxTokens),
		b.set("stream", true),
		// What a model has no input for becomes a parameter, which it does not look at.
		b.set("return_num_input_tokens", true),
		b.set("return_num_output_tokens", true),
	)
	if c.IgnoreEOS { // the second is what the first was called before
		err = errors.Join(err, b.set("min_tokens", c.MaxTokens), b.set("min_length", c.MaxTokens))
	}
	if err = errors.Join(err, b.setSampling(c, tritonSampling), b.setExtra(c)); err != nil {
		return nil, err
	}
	return b.append(dst)
}

// Decode reads a response of the model: each output has its name. An output of one value
// is that value, and not a list.
func (generateStream) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	s.object(func(name []byte) {
		switch string(name) {
		case "text_output":
			s.first(func() { c.Text = s.string() })
		case "num_input_tokens":
			s.first(func() { c.Usage.Prompt = s.tokens("num_input_tokens") })
		case "num_output_tokens":
			s.first(func() { c.Usage.Output = s.tokens("num_output_tokens") })
			c.Kind |= EventUsage
			c.OwnCount = true
		case "finish_reason": // of Triton's vLLM backend, where it is asked for
			s.first(func() { c.Finish = s.string() })
		case "id":
			c.ID = s.string()
		case "error":
			c.Error = d.errorWords()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	if len(c.Text) > 0 {
		c.Kind |= EventText
	}
	if len(c.Finish) > 0 {
		c.Kind |= EventFinish
	}
	if len(c.Text) > 0 || len(c.Finish) > 0 || c.OwnCount && c.Usage.Output > 0 {
		c.Kind |= EventChoices
	}
	c.TextIs = TextLikelyNew
	return nil
}

// first takes a value, or the first of a list of them.
func (s *scanner) first(take func()) {
	if s.next() != '[' {
		take()
		return
	}
	s.array(func(i int) {
		if i > 0 || s.next() == '[' {
			s.skip()
		} else {
			take()
		}
	})
}
