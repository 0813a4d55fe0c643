package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// Ollama's own API. Answers are a JSON object a line; the last one has the server's counts
// and times. It can't be told to ignore the end of an answer, and takes no token ids.
var (
	ollama = &Backend{
		Name: "ollama", Doc: "Ollama's generate, with prompts as they are", Framing: stream.Lines,
		Lacks: Lacks{IgnoreEOS: true, TokenIDs: true}, Sampling: ollamaSampling, Protocol: ollamaGenerate,
	}
	ollamaChat = &Backend{
		Name: "ollama-chat", Doc: "Ollama's chat", Chat: true, Images: true, Framing: stream.Lines,
		Lacks: Lacks{IgnoreEOS: true, TokenIDs: true}, Sampling: ollamaSampling, Protocol: ollamaMessages,
	}
)

// ollamaSampling are the names of Ollama's options. logprobs is no option, but stands
// beside them.
var ollamaSampling = map[string]string{
	"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "repetition_penalty": "repeat_penalty",
	"presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty", "logprobs": "logprobs",
}

// A raw prompt is not put into the model's template. An answer that was not streamed is the last line, with
// all of the text.
var (
	ollamaGenerate = &described{
		path: "/api/generate", suffix: "api/generate", body: ollamaGenerateBody, event: ollamaLine, meaning: ollamaMeaning, whole: &described{},
	}
	ollamaMessages = &described{
		path: "/api/chat", suffix: "api/chat", body: ollamaChatBody, event: ollamaLine, meaning: ollamaMeaning, whole: &described{},
	}
)

// ollamaWords are the fields that hold a part of the answer: in generate the object has them, in chat the
// object's message.
var ollamaWords = shape{
	{name: "response", take: takeText},
	{name: "content", take: takeText},
	{name: "thinking", take: takeReasoning},
	{name: "tool_calls", take: takeOllamaTools},
}

// ollamaLine is a line of either endpoint, or a whole answer.
var ollamaLine = slices.Concat(shape{
	{name: "message", in: ollamaWords},
	{name: "done", take: takeDone},
	{name: "done_reason", take: func(d *decoder, _ *stream.Chunk) { d.note().stop = d.scan.Text() }},
	{name: "prompt_eval_count", take: takeWholePrompt},
	{name: "eval_count", take: takeOutput},
	{name: "prompt_eval_duration", take: func(d *decoder, c *stream.Chunk) { c.Timings.PromptNs = d.nanoseconds(1) }},
	{name: "eval_duration", take: func(d *decoder, c *stream.Chunk) { c.Timings.OutputNs = d.nanoseconds(1) }},
	{name: "logprobs", take: func(d *decoder, c *stream.Chunk) {
		if n := d.scan.Count(); n > 0 {
			c.Tokens, c.TokensBy = n, stream.TokensByLogprobs
		}
	}},
	{name: "remote_host", take: func(d *decoder, _ *stream.Chunk) { d.note().message = d.scan.Text() }},
	{name: "error", take: takeError},
}, ollamaWords).reader()

func ollamaMeaning(d *decoder, _ []byte, c *stream.Chunk) {
	if f := &d.facts; d.noted && len(f.message) > 0 && c.Error == nil {
		// The times would be those of a network and of somebody else's machine.
		c.Error = fmt.Appendf(nil, "the model is not on this server: it has %.100s answer (remote_host); to measure that all the same, use --backend openai-chat", f.message)
	}
	if c.Done && len(d.note().stop) > 0 { // "stop" and "length" are OpenAI's words too
		c.Finish = d.facts.stop
		c.Kind |= stream.EventFinish
	}
	if c.Done || c.Kind != 0 {
		c.Kind |= stream.EventChoices
	}
}

func ollamaGenerateBody(c *Call) (*body, error) {
	if !c.isText() || c.TokenIDs {
		return nil, errors.New("generate of Ollama takes one text: use ollama-chat for messages and images")
	}
	return ollamaBody(c, ordered.Object{{"model", c.Model}, {"prompt", c.Prompt}, {"raw", true}})
}

func ollamaChatBody(c *Call) (*body, error) {
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
	return ollamaBody(c, ordered.Object{{"model", c.Model}, {"messages", messages}})
}

// ollamaBody adds what both endpoints share. The user's options stand beside ours, and win.
func ollamaBody(c *Call, fields ordered.Object) (*body, error) {
	b, options := newBody(fields), newBody(ordered.Object{{"num_predict", c.MaxTokens}})
	b.Set("stream", !c.NoStream)
	if c.Logprobs != nil {
		b.Set("logprobs", true)
		b.Set("top_logprobs", *c.Logprobs)
	}
	b.Set("options", options)
	return b, errors.Join(options.setSampling(c, ollamaSampling), b.setExtra(c))
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

// ollamaCallFields are those of one call of a list of them.
var ollamaCallFields = shape{
	{name: "id", take: func(d *decoder, _ *stream.Chunk) { d.note().tool.id = d.scan.Raw() }},
	{name: "function", in: shape{
		{name: "name", take: func(d *decoder, _ *stream.Chunk) { d.note().tool.name = d.scan.Raw() }},
		{name: "arguments", take: func(d *decoder, _ *stream.Chunk) { d.note().tool.arguments = d.quote(d.scan.ValueOf('{')) }},
	}},
}.reader()

// takeOllamaTools takes a list of calls and gives it in OpenAI's shape. Each call is whole, so it has no
// index: the one that Ollama gives begins anew with each line.
func takeOllamaTools(d *decoder, c *stream.Chunk) {
	d.tools = d.tools[:0]
	d.scan.Elements(func(int) {
		d.note().tool = toolFacts{}
		d.read(ollamaCallFields, c)
		d.tools = appendTool(d.tools, d.facts.tool)
	})
	if len(d.tools) > 0 {
		c.Tools = d.tools
		c.Kind |= stream.EventTool
	}
}
