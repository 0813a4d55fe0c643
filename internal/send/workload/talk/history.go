package talk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Answer is what a server said in one turn.
type Answer struct {
	Text      string
	Reasoning string
	Tools     []ToolCall
	Tokens    int // 0: not known
}

// ToolCall is a call that the model asks for.
type ToolCall struct{ ID, Name, Arguments string }

// History is the messages of a turn and of those that it continues, and the answer to
// it. Turns that continue the same one share what stands before them.
type History struct {
	before   *History
	messages []json.RawMessage
	tools    []ToolCall // of the answer, which is the last message
	size     int        // bytes, those before included
	tokens   int        // as far as planned and answered, those before included; -1: not known
}

// Tokens is how many the messages have, without those of a chat template; 0: not known.
func (h *History) Tokens() int { return max(h.tokens, 0) }

func (h *History) count(tokens int) {
	if h.tokens += tokens; tokens <= 0 || h.tokens < tokens { // once it is not known it stays so
		h.tokens = -1 << 40
	}
}

// Begin makes the messages of turn i: what stands before them is before (nil: nothing),
// and answer gives the text of each turn that it uses.
func (c *Conversation) Begin(i int, before *History, answer func(turn int) string) (*History, error) {
	h := &History{before: before}
	var tools []ToolCall
	if before != nil {
		h.size, h.tokens, tools = before.size, before.tokens, before.tools
	}
	h.count(c.Turns[i].PromptTokens)
	for _, m := range c.Turns[i].Messages {
		raw, err := m.JSON, error(nil)
		if m.Tool && c.live(i) {
			raw, tools, err = answerTo(raw, tools)
		}
		if err == nil && len(m.Answers) > 0 {
			raw, err = withAnswers(raw, m.Answers, answer)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name(i), err)
		}
		h.add(raw)
	}
	if h.size > MaxHistory {
		return nil, fmt.Errorf("%s: its messages are longer than %d MiB", c.name(i), MaxHistory>>20)
	}
	return h, nil
}

// live says that the answer before turn i is the server's.
func (c *Conversation) live(i int) bool {
	before := c.Turns[i].Continues
	return before >= 0 && c.Turns[before].Recorded == nil
}

// End adds the answer to turn i: the recorded one, else the server's.
func (h *History) End(c *Conversation, i int, a *Answer) {
	if recorded := c.Turns[i].Recorded; recorded != nil {
		h.add(recorded)
		h.count(c.Turns[i].RecordedTokens)
		return
	}
	h.count(a.Tokens)
	h.tools = a.Tools
	h.add(a.message(c.Reasoning))
}

func (h *History) add(raw json.RawMessage) {
	h.messages = append(h.messages, raw)
	h.size += len(raw) + len(", ")
}

// AppendJSON appends all messages as a JSON list.
func (h *History) AppendJSON(dst []byte) []byte {
	if cap(dst)-len(dst) < h.size+2 {
		dst = append(make([]byte, 0, len(dst)+h.size+2), dst...)
	}
	return append(h.appendTo(append(dst, '[')), ']')
}

func (h *History) appendTo(dst []byte) []byte {
	// Oldest first. The chain is as long as the conversation, at most MaxTurns.
	var chain []*History
	for at := h; at != nil; at = at.before {
		chain = append(chain, at)
	}
	first := true
	for i := len(chain) - 1; i >= 0; i-- {
		for _, m := range chain[i].messages {
			if !first {
				dst = append(dst, ", "...)
			}
			dst, first = append(dst, m...), false
		}
	}
	return dst
}

// message is the answer as a part of the history.
func (a *Answer) message(reasoning bool) json.RawMessage {
	b := []byte(`{"role": "assistant", "content": `)
	if a.Text == "" && len(a.Tools) > 0 {
		b = append(b, "null"...)
	} else {
		b = appendString(b, a.Text)
	}
	if reasoning && a.Reasoning != "" {
		b = appendString(append(b, `, "reasoning_content": `...), a.Reasoning)
	}
	for i, t := range a.Tools {
		if i == 0 {
			b = append(b, `, "tool_calls": [`...)
		} else {
			b = append(b, ", "...)
		}
		b = appendString(append(b, `{"id": `...), t.ID)
		b = appendString(append(b, `, "type": "function", "function": {"name": `...), t.Name)
		b = appendString(append(b, `, "arguments": `...), t.Arguments)
		b = append(b, "}}"...)
	}
	if len(a.Tools) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// Text is a message of a role with a text.
func Text(role, content string) json.RawMessage {
	b := appendString([]byte(`{"role": `), role)
	b = appendString(append(b, `, "content": `...), content)
	return append(b, '}')
}

// answerTo makes a recorded tool's message fit the server's own calls: it takes the id
// of the first call that is not answered yet. Where the server made no such call, a chat
// template would have nothing to hang it on, so the words come from the user.
func answerTo(raw json.RawMessage, calls []ToolCall) (json.RawMessage, []ToolCall, error) {
	fields, err := object(raw)
	if err != nil {
		return nil, nil, err
	}
	if len(calls) == 0 {
		fields["role"] = json.RawMessage(`"user"`)
		delete(fields, "tool_call_id")
		delete(fields, "name")
		return encode(fields), nil, nil
	}
	fields["tool_call_id"] = appendString(nil, calls[0].ID)
	return encode(fields), calls[1:], nil
}

// withAnswers adds answers of other turns behind a message's own words.
func withAnswers(raw json.RawMessage, turns []int, answer func(turn int) string) (json.RawMessage, error) {
	fields, err := object(raw)
	if err != nil {
		return nil, err
	}
	var content string
	if own := fields["content"]; len(own) > 0 && json.Unmarshal(own, &content) != nil {
		return nil, fmt.Errorf("the content of a message with answers must be a text")
	}
	for _, t := range turns {
		if content != "" {
			content += "\n\n"
		}
		content += answer(t)
	}
	fields["content"] = appendString(nil, content)
	return encode(fields), nil
}

func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("a message must be a JSON object")
	}
	return fields, nil
}

// encode writes the role first, then the rest in the order of the names.
func encode(fields map[string]json.RawMessage) json.RawMessage {
	b := append([]byte(`{"role": `), fields["role"]...)
	delete(fields, "role")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		b = append(appendString(append(b, ", "...), name), ": "...)
		b = append(b, fields[name]...)
	}
	return append(b, '}')
}

// appendString leaves <, > and & as they are: a benchmark should send what was said.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text always encodes
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// AppendPlan appends what is planned, for a hash: with live history the bodies depend on
// the server's answers.
func (c *Conversation) AppendPlan(dst []byte) []byte {
	number := func(n int) { dst = binary.LittleEndian.AppendUint64(dst, uint64(n)) }
	text := func(b []byte) { number(len(b)); dst = append(dst, b...) }
	list := func(of []int) {
		number(len(of))
		for _, n := range of {
			number(n)
		}
	}
	number(len(c.Turns))
	for i := range c.Turns {
		t := &c.Turns[i]
		number(len(t.Waits))
		for _, w := range t.Waits {
			number(w.Turn)
			number(int(w.Delay))
			number(map[bool]int{true: 1}[w.Sent])
			number(map[bool]int{true: 1}[w.IfLast])
		}
		text([]byte(t.Model))
		number(len(t.Fields))
		for _, f := range t.Fields {
			text([]byte(f.Name))
			text(f.Value)
		}
		number(t.Continues)
		number(t.OutputTokens)
		number(len(t.Messages))
		for _, m := range t.Messages {
			text(m.JSON)
			list(m.Answers)
		}
		text(t.Recorded)
	}
	if c.Maker != nil {
		dst = c.Maker.AppendPlan(dst)
	}
	return dst
}
