package stream

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ToolCall is a call that the model asks for, put together from its parts.
type ToolCall struct {
	ID, Name  string
	Arguments []byte
}

// maxToolCalls bounds the calls of one answer.
const maxToolCalls = 1000

// toolPart is a part of a call in one event: the first has its id and its name, and the
// arguments are spread over all.
type toolPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// keepAnswer keeps what is no visible text. It is bounded as the text is.
func (s *Stream) keepAnswer(c *Chunk) {
	t := &s.Trace
	if len(t.Reasoning)+len(c.Reasoning) > maxText {
		s.giveUp(tooMuch("its reasoning is longer than %d MiB", maxText>>20))
		return
	}
	t.Reasoning = append(t.Reasoning, c.Reasoning...)
	if len(c.Tools) == 0 {
		return
	}
	var parts []toolPart
	if err := json.Unmarshal(c.Tools, &parts); err != nil {
		s.giveUp(fmt.Errorf("a tool call can't be read: %w", err))
		return
	}
	if s.toolBytes += len(c.Tools); s.toolBytes > maxText {
		s.giveUp(tooMuch("its tool calls are longer than %d MiB", maxText>>20))
		return
	}
	for i := range parts {
		if err := s.addTool(&parts[i]); err != nil {
			s.giveUp(err)
			return
		}
	}
}

// addTool adds a part to the call that it belongs to. The index is the server's own name
// for a call: some count other things with it too.
func (s *Stream) addTool(p *toolPart) error {
	t, index := &s.Trace, -1
	at := len(t.Tools) // a part without an index is a call of its own,
	if p.Index != nil {
		if index = *p.Index; index < 0 || index >= maxToolCalls {
			return tooMuch("a tool call has the index %d", index)
		}
		if known := slices.Index(s.toolIndex, index); known >= 0 {
			at = known
		}
	} else if p.ID == "" && p.Function.Name == "" {
		at = max(at-1, 0) // unless it goes on with the last
	}
	if at == maxToolCalls {
		return tooMuch("it has more than %d tool calls", maxToolCalls)
	}
	if at == len(t.Tools) {
		t.Tools, s.toolIndex = append(t.Tools, ToolCall{}), append(s.toolIndex, index)
	}
	call := &t.Tools[at]
	if call.ID == "" {
		call.ID = p.ID[:min(len(p.ID), maxWord)]
	}
	if call.Name == "" {
		call.Name = p.Function.Name[:min(len(p.Function.Name), maxWord)]
	}
	call.Arguments = append(call.Arguments, p.Function.Arguments...)
	return nil
}
