package protocol

import (
	"encoding/json"
	"strconv"
	"strings"
)

// What Responses and Messages share: both are streams of events that say their type, and
// both write messages, images and tools in a way of their own.

// toolFacts are what an event says of a tool call. Its strings are as they stand in JSON.
type toolFacts struct {
	index               int // -1: not said
	id, name, arguments []byte
}

// setTools makes the list of one part of a tool call, in OpenAI's shape.
func (d *Decoder) setTools(c *Chunk, t toolFacts) {
	d.tools = d.appendTool(d.tools[:0], t)
	c.Tools = d.tools
}

// appendTool adds a part to a list of them.
func (d *Decoder) appendTool(b []byte, t toolFacts) []byte {
	if n := len(b); n > 0 {
		b = append(b[:n-1], `,{`...)
	} else {
		b = append(b, `[{`...)
	}
	if t.index >= 0 {
		b = strconv.AppendInt(append(b, `"index":`...), int64(t.index), 10)
		b = append(b, ',')
	}
	b = append(append(append(b, `"id":"`...), t.id...), `","function":{"name":"`...)
	b = append(append(append(b, t.name...), `","arguments":"`...), t.arguments...)
	return append(b, `"}}]`...)
}

// plain is the text of a string as it stands in JSON.
func (s *scanner) plain(raw []byte) []byte {
	start := len(s.text)
	s.text = appendUnescaped(s.text, raw)
	return s.text[start:len(s.text):len(s.text)]
}

// raw takes a string as it stands in JSON, nil for anything else.
func (s *scanner) raw() []byte {
	if s.next() != '"' {
		s.skip()
		return nil
	}
	return s.rawString()
}

// value takes any value as it stands.
func (s *scanner) value() []byte {
	s.next()
	start := s.pos
	s.skip()
	return s.data[min(start, s.pos):s.pos]
}

// number takes a small number such as an index; -1 for anything else.
func (s *scanner) number() int {
	n, err := strconv.ParseUint(string(s.value()), 10, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

// fields is object where there is one; anything else is passed over.
func (s *scanner) fields(field func(name []byte)) {
	if s.next() != '{' {
		s.skip()
		return
	}
	s.object(field)
}

// elements is array where there is one; anything else is passed over.
func (s *scanner) elements(element func(i int)) {
	if s.next() != '[' {
		s.skip()
		return
	}
	s.array(element)
}

// toolFields writes the fields tools and tool_choice, which datasets give in the shape of
// chat completions, in a protocol's own. What has another shape is left as it is: it is
// the user's --extra-body.
func toolFields(c *Call, tool func(name string, description, parameters json.RawMessage) any, choice map[string]any) (*Call, error) {
	own := *c
	own.Extra = nil
	for _, f := range c.Extra {
		switch f.Name {
		case "tools":
			var list []json.RawMessage
			if err := json.Unmarshal(f.Value, &list); err != nil {
				break
			}
			for i, raw := range list {
				var t struct {
					Function *struct {
						Name        string          `json:"name"`
						Description json.RawMessage `json:"description"`
						Parameters  json.RawMessage `json:"parameters"`
					} `json:"function"`
				}
				if err := json.Unmarshal(raw, &t); err != nil || t.Function == nil {
					continue
				}
				var err error
				if list[i], err = marshal(tool(t.Function.Name, t.Function.Description, t.Function.Parameters)); err != nil {
					return nil, err
				}
			}
			var err error
			if f.Value, err = marshal(list); err != nil {
				return nil, err
			}
		case "tool_choice":
			var word string
			if json.Unmarshal(f.Value, &word) == nil && choice[word] != nil {
				var err error
				if f.Value, err = marshal(choice[word]); err != nil {
					return nil, err
				}
			}
		}
		own.Extra = append(own.Extra, f)
	}
	return &own, nil
}

// leading are the texts of the system's messages at the beginning, and what follows them.
func leading(all []turn) (system string, rest []turn) {
	var texts []string
	for len(all) > 0 && all[0].Role == "system" {
		texts = append(texts, all[0].text())
		all = all[1:]
	}
	return strings.Join(texts, "\n\n"), all
}
