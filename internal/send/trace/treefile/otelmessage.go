package treefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// chatMessage is a message as chat completions have it. Two that say the same are equal as JSON.
type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []chatToolCall  `json:"tool_calls,omitempty"`
	ID        string          `json:"tool_call_id,omitempty"`
}

type chatToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// otelMessage is one of OpenTelemetry, made of parts, or of OpenAI.
type otelMessage struct {
	Role      string          `json:"role"`
	Parts     []otelPart      `json:"parts"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []otelPart      `json:"tool_calls"`
	ID        string          `json:"tool_call_id"`
}

type otelPart struct {
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Text      json.RawMessage `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Function  struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Result   json.RawMessage `json:"result"`
	Response json.RawMessage `json:"response"`
}

// input are the messages of the prompt.
func (s *otelSpan) input() ([]json.RawMessage, error) {
	list, err := otelMessages(s.Attributes["gen_ai.input.messages"])
	if err != nil {
		return nil, err
	}
	if raw := s.Attributes["gen_ai.system_instructions"]; !isNull(raw) {
		var parts []otelPart
		if json.Unmarshal(unquote(raw), &parts) != nil {
			return nil, errors.New("gen_ai.system_instructions must be a list of parts")
		}
		list = append((&otelMessage{Role: "system", Parts: parts}).plain(), list...)
	}
	if len(list) == 0 {
		return nil, errors.New("it has no input messages")
	}
	return list, nil
}

// answer is the message that came; nil: it is not known.
func (s *otelSpan) answer() (json.RawMessage, error) {
	list, err := otelMessages(s.Attributes["gen_ai.output.messages"])
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		return list[0], nil
	}
	for _, name := range []string{"gen_ai.output.text", "gen_ai.completion"} {
		if text := s.text(name); text != "" {
			return encode(&chatMessage{Role: "assistant", Content: encode(text)}), nil
		}
	}
	return nil, nil
}

// otelMessages reads a list of messages, which may be the text of one.
func otelMessages(raw json.RawMessage) (all []json.RawMessage, err error) {
	if isNull(raw) || string(raw) == `""` {
		return nil, nil
	}
	var list []otelMessage
	if err := json.Unmarshal(unquote(raw), &list); err != nil {
		return nil, errors.New("its messages must be a list of objects with a role")
	}
	for i := range list {
		all = append(all, list[i].plain()...)
	}
	return all, nil
}

// plain are the messages of chat completions that say the same: results of tools are ones of their own.
func (m *otelMessage) plain() (all []json.RawMessage) {
	made := chatMessage{Role: m.Role, ID: m.ID}
	if made.Role == "" {
		made.Role = "user"
	}
	parts := m.Parts
	var texts []string
	if m.Parts == nil && !isNull(m.Content) {
		made.Content = compact(m.Content)
		var content []otelPart
		if json.Unmarshal(m.Content, &content) == nil && len(content) > 0 && content[0].Type == "tool_call_response" {
			parts, made.Content = content, nil
		}
	}
	var results []json.RawMessage
	for i := range parts {
		switch p := &parts[i]; p.Type {
		case "text":
			texts = append(texts, plainText(p.Content, p.Text))
		case "tool_call":
			made.ToolCalls = append(made.ToolCalls, p.call())
		case "tool_call_response":
			results = append(results, encode(&chatMessage{Role: "tool", ID: p.ID, Content: encode(plainText(p.Result, p.Response, p.Content))}))
		}
	}
	for i := range m.ToolCalls {
		made.ToolCalls = append(made.ToolCalls, m.ToolCalls[i].call())
	}
	if len(texts) > 0 {
		made.Content = encode(strings.Join(texts, ""))
	}
	if isNull(made.Content) || string(made.Content) == `""` {
		made.Content = json.RawMessage(`""`)
		if len(made.ToolCalls) > 0 {
			made.Content = json.RawMessage("null")
		} else if len(results) > 0 {
			return results
		}
	}
	return append([]json.RawMessage{encode(&made)}, results...)
}

// call is a part as the call of a tool.
func (p *otelPart) call() (c chatToolCall) {
	c.ID, c.Type = p.ID, "function"
	c.Function.Name = p.Name
	arguments := p.Arguments
	if p.Function.Name != "" {
		c.Function.Name, arguments = p.Function.Name, p.Function.Arguments
	}
	if c.Function.Arguments = plainText(arguments); c.Function.Arguments == "" {
		c.Function.Arguments = "{}"
	}
	return c
}

// toolCalls are the ids of the calls in a message of the assistant.
func toolCalls(m json.RawMessage) (ids []string) {
	if !bytes.Contains(m, []byte(`"tool_calls"`)) {
		return nil // most have none, and are long
	}
	var c chatMessage
	if json.Unmarshal(m, &c) != nil || c.Role != "assistant" {
		return nil
	}
	for _, t := range c.ToolCalls {
		if t.ID != "" {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// plainText is the first value that there is: a text as it is, anything else as JSON.
func plainText(values ...json.RawMessage) string {
	for _, raw := range values {
		if isNull(raw) {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
		return string(compact(raw))
	}
	return ""
}

// definitions are those of tools, as chat completions have them; nil: there are none.
func (s *otelSpan) definitions() json.RawMessage {
	var list []json.RawMessage
	raw := s.Attributes["gen_ai.tool.definitions"]
	if isNull(raw) || json.Unmarshal(unquote(raw), &list) != nil || len(list) == 0 {
		return nil
	}
	for i, tool := range list {
		var t struct {
			Function    json.RawMessage `json:"function"`
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}
		if json.Unmarshal(tool, &t) != nil || !isNull(t.Function) || t.Name == "" {
			continue
		}
		type function struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}
		list[i] = encode(struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		}{"function", function{t.Name, t.Description, t.Parameters}})
	}
	return encode(list)
}
