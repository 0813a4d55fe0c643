package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Ollama's own API. Answers are a JSON object a line; the last one has the server's counts
// and times. It can't be told to ignore the end of an answer, and takes no token ids.
var (
	ollama = &Backend{
		Name: "ollama", Doc: "Ollama's generate, with prompts as they are", Framing: Lines,
		Lacks: Lacks{IgnoreEOS: true, TokenIDs: true}, Sampling: ollamaSampling, Protocol: ollamaGenerate{},
	}
	ollamaChat = &Backend{
		Name: "ollama-chat", Doc: "Ollama's chat", Chat: true, Images: true, Framing: Lines,
		Lacks: Lacks{IgnoreEOS: true, TokenIDs: true}, Sampling: ollamaSampling, Protocol: ollamaMessages{},
	}
)

// ollamaSampling are the names of Ollama's options. logprobs is no option, but stands
// beside them.
var ollamaSampling = map[string]string{
	"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty",
	"presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty", "logprobs": "logprobs",
}

// ollamaGenerate is /api/generate. A raw prompt is not put into the model's template.
type ollamaGenerate struct{}

func (ollamaGenerate) Path() string   { return "/api/generate" }
func (ollamaGenerate) Suffix() string { return "api/generate" }

func (ollamaGenerate) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.TokenIDs || c.Messages != nil || c.Media != nil || c.Inputs != nil || c.Sound != nil {
		return nil, errors.New("generate of Ollama takes one text: use ollama-chat for messages and images")
	}
	var b body
	if err := errors.Join(b.set("model", c.Model), b.set("prompt", c.Prompt), b.set("raw", true)); err != nil {
		return nil, err
	}
	return b.ollama(dst, c)
}

func (ollamaGenerate) Decode(d *Decoder, data []byte, c *Chunk) error { return d.ollama(data, c) }

// DecodeAnswer reads an answer that was not streamed: it is the last line, with all of the text.
func (ollamaGenerate) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error { return d.ollama(data, c) }

// ollamaMessages is /api/chat.
type ollamaMessages struct{ ollamaGenerate }

func (ollamaMessages) Path() string   { return "/api/chat" }
func (ollamaMessages) Suffix() string { return "api/chat" }

func (ollamaMessages) AppendBody(dst []byte, c *Call) ([]byte, error) {
	all, err := turns(c)
	if err != nil {
		return nil, err
	}
	messages := make([]ollamaMessage, len(all))
	names := map[string]string{} // of the functions, by the ids of their calls
	for i := range all {
		if messages[i], err = all[i].ollama(names); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	var b body
	if err := errors.Join(b.set("model", c.Model), b.set("messages", messages)); err != nil {
		return nil, err
	}
	return b.ollama(dst, c)
}

// ollama adds what both endpoints share.
func (b *body) ollama(dst []byte, c *Call) ([]byte, error) {
	var options body
	err := errors.Join(
		b.set("stream", !c.NoStream),
		options.set("num_predict", c.MaxTokens),
		options.setSampling(c, ollamaSampling),
	)
	if c.Logprobs != nil {
		err = errors.Join(err, b.set("logprobs", true), b.set("top_logprobs", *c.Logprobs))
	}
	rest := *c
	rest.Extra = nil
	for _, f := range c.Extra {
		switch {
		case f.Sampling:
		case f.Name == "options": // the user's stand beside ours, and win
			err = errors.Join(err, options.merge(f.Value))
		default:
			rest.Extra = append(rest.Extra, f)
		}
	}
	if err != nil {
		return nil, err
	}
	object, err := options.append(nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.set("options", json.RawMessage(object)), b.setExtra(&rest)); err != nil {
		return nil, err
	}
	return b.append(dst)
}

// merge sets the fields of an object.
func (b *body) merge(object json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return fmt.Errorf("options must be an object: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := b.set(name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// ollamaMessage is a message as Ollama has it: its content is a text.
type ollamaMessage struct {
	Role     string       `json:"role"`
	Content  string       `json:"content"`
	Images   []string     `json:"images,omitempty"` // in base64
	Calls    []ollamaCall `json:"tool_calls,omitempty"`
	ToolName string       `json:"tool_name,omitempty"`
	CallID   string       `json:"tool_call_id,omitempty"`
}

type ollamaCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // an object
	} `json:"function"`
}

// ollama is a turn in Ollama's words. names keeps what the calls of all turns were called.
func (t *turn) ollama(names map[string]string) (ollamaMessage, error) {
	m := ollamaMessage{Role: t.Role, Content: t.text(), CallID: t.CallID, ToolName: names[t.CallID]}
	for _, p := range t.Parts {
		switch p.Kind {
		case "text":
		case "image_url":
			head, data, ok := strings.Cut(p.URL, ",")
			if !ok || !strings.HasPrefix(head, "data:") || !strings.HasSuffix(head, ";base64") {
				return m, errors.New("an image is sent to Ollama by its bytes (a data: URL in base64): it fetches none")
			}
			m.Images = append(m.Images, data)
		default:
			return m, fmt.Errorf("there is no place at Ollama for a part of the type %.40q", p.Kind)
		}
	}
	for i := range t.Calls {
		call := ollamaCall{ID: t.Calls[i].ID}
		call.Function.Name, call.Function.Arguments = t.Calls[i].Name, bytes.TrimSpace(t.Calls[i].Arguments)
		if len(call.Function.Arguments) == 0 {
			call.Function.Arguments = json.RawMessage("{}")
		}
		if call.Function.Arguments[0] != '{' || !json.Valid(call.Function.Arguments) {
			return m, fmt.Errorf("the arguments of a tool call are no JSON object, which Ollama wants: %.80s", call.Function.Arguments)
		}
		names[call.ID] = call.Function.Name
		m.Calls = append(m.Calls, call)
	}
	return m, nil
}

// ollama decodes a line of either endpoint, or a whole answer.
func (d *Decoder) ollama(data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	var reason, host []byte
	s.object(func(name []byte) {
		switch string(name) {
		case "message":
			if s.next() != '{' {
				s.skip()
				return
			}
			s.object(func(name []byte) { s.ollamaWords(name, c) })
		case "done":
			c.Done = s.true()
		case "done_reason":
			reason = s.string()
		case "prompt_eval_count":
			c.Usage.Prompt = s.tokens("prompt_eval_count")
			c.Kind |= EventUsage
		case "eval_count":
			c.Usage.Output = s.tokens("eval_count")
			c.Kind |= EventUsage
		case "prompt_eval_duration":
			c.Timings.PromptNs = s.nanoseconds()
		case "eval_duration":
			c.Timings.OutputNs = s.nanoseconds()
		case "logprobs":
			if n := s.count(); n > 0 {
				c.Tokens, c.TokensBy = n, TokensByLogprobs
			}
		case "remote_host":
			host = s.string()
		case "error":
			c.Error = d.errorWords()
		default:
			s.ollamaWords(name, c)
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	if len(host) > 0 && c.Error == nil {
		// The times would be those of a network and of somebody else's machine.
		c.Error = fmt.Appendf(nil, "the model is not on this server: it has %.100s answer (remote_host); to measure that all the same, use --backend openai-chat", host)
	}
	if c.Done && len(reason) > 0 { // "stop" and "length" are OpenAI's words too
		c.Finish = reason
		c.Kind |= EventFinish
	}
	if c.Done || c.Kind != 0 {
		c.Kind |= EventChoices
	}
	return nil
}

// ollamaWords takes a field that holds a part of the answer: in generate the object has
// it, in chat the object's message.
func (s *scanner) ollamaWords(name []byte, c *Chunk) {
	switch string(name) {
	case "response", "content":
		if c.Text = s.string(); len(c.Text) > 0 {
			c.Kind |= EventText
		}
	case "thinking":
		if c.Reasoning = s.string(); len(c.Reasoning) > 0 {
			c.Kind |= EventReasoning
		}
	case "tool_calls":
		if s.next() != '[' {
			s.skip()
			return
		}
		if c.Tools = s.ollamaTools(); len(c.Tools) > 0 {
			c.Kind |= EventTool
		}
	default:
		s.skip()
	}
}

// ollamaTools takes a list of calls and gives it in OpenAI's shape; nil for an empty one.
// Each call is whole, so it has no index: the one that Ollama gives begins anew with each line.
func (s *scanner) ollamaTools() []byte {
	start := len(s.text)
	s.array(func(i int) {
		var id, fn, arguments []byte
		if s.next() != '{' {
			s.skip()
			return
		}
		s.object(func(name []byte) {
			switch string(name) {
			case "id":
				id = s.valueOf('"')
			case "function":
				if s.next() != '{' {
					s.skip()
					return
				}
				s.object(func(name []byte) {
					switch string(name) {
					case "name":
						fn = s.valueOf('"')
					case "arguments":
						arguments = s.valueOf('{')
					default:
						s.skip()
					}
				})
			default:
				s.skip()
			}
		})
		s.text = append(s.text, "[,"[min(i, 1)])
		s.text = append(append(append(s.text, `{"id":`...), orEmpty(id)...), `,"function":{"name":`...)
		s.text = append(append(s.text, orEmpty(fn)...), `,"arguments":"`...)
		s.text = append(appendQuoted(s.text, arguments), `"}}`...)
	})
	if len(s.text) == start {
		return nil
	}
	s.text = append(s.text, ']')
	return s.text[start:len(s.text):len(s.text)]
}

func orEmpty(text []byte) []byte {
	if text == nil {
		return []byte(`""`)
	}
	return text
}
