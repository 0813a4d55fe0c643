package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var openAIResponses = &Backend{
	Name: "openai-responses", Doc: "OpenAI's Responses", Chat: true, Images: true, Lacks: Lacks{TokenIDs: true}, Protocol: responses,
}

// responses is OpenAI's /v1/responses. An answer that was not streamed is the response by itself.
var responses = &described{
	path: "/v1/responses", suffix: "responses", body: responsesBody, event: responseEvent, meaning: responseMeaning,
	whole: &described{event: responseFields(wholeItem).reader(), meaning: responseAnswered},
}

func responsesBody(c *Call) (*body, error) {
	all, err := turns(c)
	if err != nil {
		return nil, err
	}
	c, err = toolFields(c, func(name string, description, parameters json.RawMessage) any {
		return struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description json.RawMessage `json:"description,omitempty"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}{"function", name, description, parameters}
	}, nil)
	if err != nil {
		return nil, err
	}
	system, all := leading(all)
	input, err := responseInput(all)
	if err != nil {
		return nil, err
	}
	b := newBody(ordered.Object{{"model", c.Model}})
	if system != "" {
		b.Set("instructions", system)
	}
	b.Set("input", input)
	if c.MaxTokens > 0 {
		b.Set("max_output_tokens", c.MaxTokens)
	}
	b.Set("stream", !c.NoStream)
	b.Set("store", false)
	b.finish(c)
	return b, nil
}

type responsePart struct {
	Type   string `json:"type"`
	Text   string `json:"text,omitempty"`
	URL    string `json:"image_url,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// responseItem is one of the list of a request. llama.cpp knows an assistant's message by
// its type.
type responseItem struct {
	Type      string  `json:"type,omitempty"`
	ID        string  `json:"id,omitempty"`
	Role      string  `json:"role,omitempty"`
	Summary   *[]any  `json:"summary,omitempty"`
	Content   any     `json:"content,omitempty"`
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
}

// responseInput is a text where there is nothing else, and else a list of items.
func responseInput(all []turn) (any, error) {
	if len(all) == 1 && all[0].Role == "user" && len(all[0].Parts) == 1 && all[0].Parts[0].Kind == "text" {
		return all[0].Parts[0].Text, nil
	}
	list := []responseItem{}
	for i := range all {
		t := &all[i]
		switch t.Role {
		case "tool":
			text := t.text()
			list = append(list, responseItem{Type: "function_call_output", CallID: t.CallID, Output: &text})
		case "assistant":
			list = append(list, responseAnswer(t, i)...)
		default:
			parts, err := responseParts(t)
			if err != nil {
				return nil, err
			}
			list = append(list, responseItem{Role: t.Role, Content: parts})
		}
	}
	return list, nil
}

// responseAnswer is an answer as it came: reasoning, text and calls are items.
func responseAnswer(t *turn, i int) (list []responseItem) {
	if t.Reasoning != "" {
		list = append(list, responseItem{
			Type: "reasoning", ID: "rs_" + strconv.Itoa(i), Summary: &[]any{}, Content: []responsePart{{Type: "reasoning_text", Text: t.Reasoning}},
		})
	}
	if text := t.text(); text != "" || len(t.Calls) == 0 {
		list = append(list, responseItem{Type: "message", Role: "assistant", Content: text})
	}
	for k := range t.Calls {
		arguments := string(t.Calls[k].Arguments)
		list = append(list, responseItem{Type: "function_call", CallID: t.Calls[k].ID, Name: t.Calls[k].Name, Arguments: &arguments})
	}
	return list
}

func responseParts(t *turn) ([]responsePart, error) {
	parts := []responsePart{}
	for _, p := range t.Parts {
		switch p.Kind {
		case "text":
			parts = append(parts, responsePart{Type: "input_text", Text: p.Text})
		case "image_url":
			parts = append(parts, responsePart{Type: "input_image", URL: p.URL, Detail: "auto"})
		default:
			return nil, fmt.Errorf("an input of Responses takes texts and images, and not %q: use --backend openai-chat", p.Kind)
		}
	}
	return parts, nil
}

var (
	responseEvent = shape{
		{name: "type", take: takeKind},
		{name: "delta", take: takeDelta},
		{name: "output_index", take: takeIndex},
		{name: "message", take: func(d *decoder, _ *stream.Chunk) { d.note().message = d.scan.Text() }},
		{name: "error", take: takeError},
		{name: "item", in: responseItemFields},
		{name: "response", in: responseFields(responseItemFields)},
		{name: "timings", in: llamaTimings},
	}.reader()
	responseItemFields = shape{
		{name: "type", take: takeItemKind},
		{name: "call_id", take: takeToolID},
		{name: "name", take: takeToolName},
		{name: "arguments", take: takeToolArgs},
		{name: "input", take: takeToolArgs},
	}
	// wholeItem is an item of an answer that was not streamed: with its texts and calls.
	wholeItem = append(slices.Clone(responseItemFields),
		field{name: "content", take: takeParts},
		field{name: "summary", take: takeParts},
	)
	responseUsage = shape{
		{name: "input_tokens", take: takePrompt},
		{name: "output_tokens", take: takeOutput},
		{name: "input_tokens_details", in: shape{{name: "cached_tokens", take: takeCached}}},
		{name: "output_tokens_details", in: shape{{name: "reasoning_tokens", take: takeThought}}},
	}
)

// responseFields are those of a response; item is what is read of each of its items.
func responseFields(item shape) shape {
	itemReader := item.reader()
	return shape{
		{name: "id", take: takeID},
		{name: "status", take: takeStatus},
		{name: "error", take: takeError},
		{name: "incomplete_details", in: shape{{name: "reason", take: takeStop}}},
		{name: "usage", take: takeUsage(responseUsage)},
		{name: "output", take: func(d *decoder, c *stream.Chunk) {
			d.scan.Elements(func(int) {
				f := d.note()
				f.itemKind, f.tool = nil, toolFacts{}
				d.read(itemReader, c)
				if isCall(f.itemKind) {
					f.flag = true
					d.tools = appendTool(d.tools, f.tool)
				}
			})
		}},
	}
}

// responseMeaning says what an event is. Only what carries tokens, and the end, is more than a frame.
func responseMeaning(d *decoder, data []byte, c *stream.Chunk) {
	f := d.note()
	kind, usage := c.Kind, c.Usage
	c.Kind, c.Usage = 0, stream.Usage{} // what another event than the last tells of usage, such as zeros, is not the answer's
	switch string(f.kind) {
	case "response.output_text.delta", "response.refusal.delta":
		if len(f.delta) > 0 {
			c.Text, c.Kind = d.scan.Unescape(f.delta), stream.EventChoices|stream.EventText
		}
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if len(f.delta) > 0 {
			c.Reasoning, c.Kind = d.scan.Unescape(f.delta), stream.EventChoices|stream.EventReasoning
		}
	case "response.function_call_arguments.delta", "response.mcp_call_arguments.delta",
		"response.custom_tool_call_input.delta", "response.code_interpreter_call_code.delta":
		if len(f.delta) > 0 {
			f.tool.arguments, c.Kind = f.delta, stream.EventChoices|stream.EventTool
			d.setTools(c)
		}
	case "response.output_item.added":
		if isCall(f.itemKind) {
			if len(f.tool.arguments) > 0 {
				c.Kind = stream.EventChoices | stream.EventTool
			}
			d.setTools(c)
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		c.Kind, c.Usage = kind, usage
		f.endResponse(c)
	case "error":
		if c.Error == nil {
			c.Error = data
			if len(f.message) > 0 {
				c.Error = f.message
			}
		}
	}
}

func isCall(kind []byte) bool {
	return string(kind) == "function_call" || string(kind) == "custom_tool_call" || string(kind) == "mcp_call"
}

// endResponse is the last event, or an answer that is one object.
func (f *facts) endResponse(c *stream.Chunk) {
	c.Kind |= stream.EventFinish
	c.Done = true
	status := string(f.status)
	if string(f.kind) == "response.incomplete" {
		status = "incomplete"
	}
	switch {
	case status == "failed" || status == "cancelled" || string(f.kind) == "response.failed":
		if c.Error == nil {
			c.Error = []byte("the server says that the response failed, and not why")
		}
	case status == "incomplete" && (len(f.stop) == 0 || string(f.stop) == "max_output_tokens"):
		c.Finish = finishLength
	case status == "incomplete":
		c.Finish = f.stop
	case f.flag: // it has a tool call
		c.Finish = finishTools
	default:
		c.Finish = finishStop
	}
}

// responseAnswered says what an answer is that was not streamed.
func responseAnswered(d *decoder, _ []byte, c *stream.Chunk) {
	if c.Error != nil {
		return
	}
	c.Tools = d.tools
	setWhole(c)
	d.note().endResponse(c)
}

var responsePartFields = shape{
	{name: "type", take: takeStatus},
	{name: "text", take: takeDelta},
	{name: "refusal", take: takeDelta},
}.reader()

// takeParts adds the parts of a message or of reasoning to an answer.
func takeParts(d *decoder, c *stream.Chunk) {
	f := d.note()
	status := f.status
	d.scan.Elements(func(int) {
		f.status, f.delta = nil, nil
		d.read(responsePartFields, c)
		switch string(f.status) {
		case "output_text", "refusal":
			addText(&c.Text, d.scan.Unescape(f.delta))
		case "reasoning_text", "summary_text":
			addText(&c.Reasoning, d.scan.Unescape(f.delta))
		}
	})
	f.status, f.delta = status, nil
}
