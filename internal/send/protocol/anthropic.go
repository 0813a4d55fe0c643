package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var anthropic = &Backend{
	Name: "anthropic", Doc: "Anthropic's Messages", Chat: true, Images: true, Lacks: Lacks{IgnoreEOS: true, TokenIDs: true},
	Sampling: messagesSampling, Header: map[string]string{"Anthropic-Version": "2023-06-01"}, KeyHeader: "X-Api-Key", Protocol: messages,
}

var messagesSampling = sameNames("temperature", "top_p", "top_k")

// messages is Anthropic's /v1/messages.
var messages = &described{
	path: "/v1/messages", suffix: "messages", body: anthropicBody, event: messageEvent, meaning: messageMeaning,
	whole: &described{event: messageAnswer, meaning: messageAnswered},
}

func anthropicBody(c *Call) (*body, error) {
	all, err := turns(c)
	if err != nil {
		return nil, err
	}
	c, err = toolFields(c, func(name string, description, parameters json.RawMessage) any {
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type": "object"}`)
		}
		return struct {
			Name        string          `json:"name"`
			Description json.RawMessage `json:"description,omitempty"`
			Schema      json.RawMessage `json:"input_schema"`
		}{name, description, parameters}
	}, map[string]any{
		"auto": map[string]string{"type": "auto"}, "required": map[string]string{"type": "any"}, "none": map[string]string{"type": "none"},
	})
	if err != nil {
		return nil, err
	}
	system, list, err := messageList(all)
	if err != nil {
		return nil, err
	}
	b := newBody(ordered.Object{{"model", c.Model}, {"max_tokens", c.MaxTokens}})
	if system != "" {
		b.Set("system", system)
	}
	b.Set("messages", list)
	b.Set("stream", !c.NoStream)
	return b, errors.Join(b.setSampling(c, messagesSampling), b.setExtra(c))
}

type messageItem struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type messageBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  string          `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	Source    *imageSource    `json:"source,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   *string         `json:"content,omitempty"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

// messageList writes turns as messages. The system has no place among them, and the
// results of tools are the user's: those of one answer are in one message.
func messageList(all []turn) (system string, list []messageItem, err error) {
	var texts []string
	var results []messageBlock
	list = []messageItem{}
	for i := range all {
		t := &all[i]
		if t.Role == "tool" {
			text := t.text()
			results = append(results, messageBlock{Type: "tool_result", ToolUseID: t.CallID, Content: &text})
			if i+1 < len(all) && all[i+1].Role == "tool" {
				continue
			}
			list, results = append(list, messageItem{"user", results}), nil
			continue
		}
		if t.Role == "system" {
			texts = append(texts, t.text())
			continue
		}
		content, err := messageContent(t)
		if err != nil {
			return "", nil, err
		}
		if content != nil { // an empty answer can't be said
			list = append(list, messageItem{t.Role, content})
		}
	}
	return strings.Join(texts, "\n\n"), list, nil
}

// messageContent is a text where there is nothing else; nil: nothing.
func messageContent(t *turn) (any, error) {
	if len(t.Parts) == 1 && t.Parts[0].Kind == "text" && len(t.Calls) == 0 && t.Reasoning == "" && (t.Parts[0].Text != "" || t.Role == "user") {
		return t.Parts[0].Text, nil
	}
	var blocks []messageBlock
	if t.Reasoning != "" {
		none := ""
		blocks = append(blocks, messageBlock{Type: "thinking", Thinking: t.Reasoning, Signature: &none})
	}
	for _, p := range t.Parts {
		switch {
		case p.Kind == "text" && p.Text == "": // refused by the API
		case p.Kind == "text":
			blocks = append(blocks, messageBlock{Type: "text", Text: p.Text})
		case p.Kind == "image_url":
			blocks = append(blocks, messageBlock{Type: "image", Source: sourceOf(p.URL)})
		default:
			return nil, fmt.Errorf("a message takes texts and images, and not %q: use --backend openai-chat", p.Kind)
		}
	}
	for i := range t.Calls {
		call := &t.Calls[i]
		blocks = append(blocks, messageBlock{Type: "tool_use", ID: call.ID, Name: call.Name, Input: toolInput(call.Arguments)})
	}
	if blocks == nil {
		return nil, nil
	}
	return blocks, nil
}

// toolInput is what a call was made with, as an object. A model may have written none;
// then its words stand in one, so that the prompt is as long as it was.
func toolInput(arguments []byte) json.RawMessage {
	arguments = bytes.TrimSpace(arguments)
	switch {
	case len(arguments) == 0:
		return json.RawMessage("{}")
	case arguments[0] == '{' && json.Valid(arguments):
		return arguments
	}
	words, err := marshal(map[string]string{"arguments": string(arguments)})
	if err != nil {
		return json.RawMessage("{}") // a text always marshals
	}
	return words
}

// sourceOf is an image by its address, which may hold its bytes.
func sourceOf(url string) *imageSource {
	rest, isData := strings.CutPrefix(url, "data:")
	kind, data, found := strings.Cut(rest, ";base64,")
	if !isData || !found {
		return &imageSource{Type: "url", URL: url}
	}
	return &imageSource{Type: "base64", MediaType: kind, Data: data}
}

var (
	messageEvent = shape{
		{name: "type", take: takeKind},
		{name: "index", take: takeIndex},
		{name: "delta", in: blockFields},
		{name: "content_block", in: blockFields},
		{name: "message", in: shape{
			{name: "id", take: takeID},
			{name: "usage", take: takeUsage(messageUsage)},
		}},
		{name: "usage", take: takeUsage(messageUsage)},
		{name: "error", take: takeError},
	}.reader()
	// blockFields is a block of an answer, or what an event adds to one. A signature is no token.
	blockFields = shape{
		{name: "type", take: takeItemKind},
		{name: "text", take: takeDelta},
		{name: "thinking", take: takeThinking},
		{name: "partial_json", take: takeToolArgs},
		{name: "stop_reason", take: takeStop},
		{name: "id", take: takeToolID},
		{name: "name", take: takeToolName},
		{name: "input", take: func(d *decoder, _ *stream.Chunk) { d.note().input = d.scan.Value() }},
	}
	// messageUsage: a prompt has tokens that were read from the cache, that were written to it, and others.
	messageUsage = shape{
		{name: "input_tokens", take: func(d *decoder, c *stream.Chunk) {
			d.note().flag = d.scan.Next() != 'n' // null
			c.Usage.Prompt += d.count()
		}},
		{name: "cache_creation_input_tokens", take: func(d *decoder, c *stream.Chunk) { c.Usage.Prompt += d.count() }},
		{name: "cache_read_input_tokens", take: func(d *decoder, c *stream.Chunk) {
			before := c.Usage.Cached
			takeCached(d, c)
			c.Usage.Prompt += c.Usage.Cached - before
		}},
		{name: "output_tokens", take: takeOutput},
	}
)

// messageMeaning says what an event is.
func messageMeaning(d *decoder, _ []byte, c *stream.Chunk) {
	f := d.note()
	switch string(f.kind) {
	case "message_start":
		// Its usage has the prompt, and of the answer nothing yet.
		c.Kind, c.Usage.Output = 0, 0
	case "content_block_start", "content_block_delta":
		switch {
		case len(f.delta) > 0:
			c.Text, c.Kind = d.scan.Unescape(f.delta), stream.EventChoices|stream.EventText
		case len(f.thinking) > 0:
			c.Reasoning, c.Kind = d.scan.Unescape(f.thinking), stream.EventChoices|stream.EventReasoning
		case len(f.tool.arguments) > 0:
			c.Kind = stream.EventChoices | stream.EventTool
			d.setTools(c)
		case isToolUse(f.itemKind):
			if len(f.input) > len("{}") && f.input[0] == '{' { // all of it at once
				f.tool.arguments, c.Kind = d.quote(f.input), stream.EventChoices|stream.EventTool
			}
			d.setTools(c)
		}
	case "message_delta":
		c.Replaces = f.flag
		setStop(c, f.stop)
	case "message_stop":
		c.Done = true
	}
}

// setStop says why an answer ended.
func setStop(c *stream.Chunk, stop []byte) {
	if len(stop) > 0 {
		c.Kind |= stream.EventFinish
		c.Finish = finishOf(stop)
	}
}

func isToolUse(kind []byte) bool {
	return string(kind) == "tool_use" || string(kind) == "server_tool_use" || string(kind) == "mcp_tool_use"
}

// finishOf is a stop reason in OpenAI's words.
func finishOf(stop []byte) []byte {
	switch string(stop) {
	case "end_turn", "stop_sequence":
		return finishStop
	case "max_tokens", "model_context_window_exceeded":
		return finishLength
	case "tool_use":
		return finishTools
	}
	return stop
}

// messageAnswer is an answer that was not streamed.
var messageAnswer = shape{
	{name: "id", take: takeID},
	{name: "content", take: func(d *decoder, c *stream.Chunk) { d.scan.Elements(func(int) { d.addBlock(c) }) }},
	{name: "stop_reason", take: takeStop},
	{name: "usage", take: takeUsage(messageUsage)},
	{name: "error", take: takeError},
}.reader()

func messageAnswered(d *decoder, _ []byte, c *stream.Chunk) {
	if c.Error == nil {
		setWhole(c)
		setStop(c, d.note().stop)
	}
}

var wholeBlock = blockFields.reader()

// addBlock adds a block to an answer.
func (d *decoder) addBlock(c *stream.Chunk) {
	f := d.note()
	before := *f
	*f = facts{}
	d.read(wholeBlock, c)
	switch {
	case isToolUse(f.itemKind):
		if len(f.input) > 0 && f.input[0] == '{' {
			f.tool.arguments = d.quote(f.input)
		}
		d.tools = appendTool(d.tools, f.tool)
		c.Tools = d.tools
	case len(f.delta) > 0:
		addText(&c.Text, d.scan.Unescape(f.delta))
	case len(f.thinking) > 0:
		addText(&c.Reasoning, d.scan.Unescape(f.thinking))
	}
	*f = before
}
