package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// What Responses and Messages share: both are streams of events that say their type, and
// both write messages, images and tools in a way of their own.

// The finish reasons in OpenAI's words.
var (
	finishStop   = []byte("stop")
	finishLength = []byte("length")
	finishTools  = []byte("tool_calls")
)

// toolFacts are what an event says of a tool call. Its strings are as they stand in JSON.
type toolFacts struct {
	index               int // from 1; 0: not said
	id, name, arguments []byte
}

// setTools makes the list of one part of a tool call, in OpenAI's shape.
func (d *decoder) setTools(c *stream.Chunk) {
	d.tools = appendTool(d.tools[:0], d.facts.tool)
	c.Tools = d.tools
}

// appendTool adds a part to a list of them.
func appendTool(b []byte, t toolFacts) []byte {
	if n := len(b); n > 0 {
		b = append(b[:n-1], `,{`...)
	} else {
		b = append(b, `[{`...)
	}
	if t.index > 0 {
		b = strconv.AppendInt(append(b, `"index":`...), int64(t.index-1), 10)
		b = append(b, ',')
	}
	b = append(append(append(b, `"id":"`...), t.id...), `","function":{"name":"`...)
	b = append(append(append(b, t.name...), `","arguments":"`...), t.arguments...)
	return append(b, `"}}]`...)
}

// quote writes JSON as it stands inside a JSON string. It is valid until the next one.
func (d *decoder) quote(value []byte) []byte {
	d.quoted = jsonscan.AppendQuoted(d.quoted[:0], value)
	return d.quoted
}

// The facts that events of both say, as they stand in JSON.
func takeKind(d *decoder, _ *stream.Chunk)     { d.note().kind = d.scan.Raw() }
func takeItemKind(d *decoder, _ *stream.Chunk) { d.note().itemKind = d.scan.Raw() }
func takeDelta(d *decoder, _ *stream.Chunk)    { d.note().delta = d.scan.Raw() }
func takeThinking(d *decoder, _ *stream.Chunk) { d.note().thinking = d.scan.Raw() }
func takeStop(d *decoder, _ *stream.Chunk)     { d.note().stop = d.scan.Raw() }
func takeStatus(d *decoder, _ *stream.Chunk)   { d.note().status = d.scan.Raw() }
func takeToolID(d *decoder, _ *stream.Chunk)   { d.note().tool.id = d.scan.Raw() }
func takeToolName(d *decoder, _ *stream.Chunk) { d.note().tool.name = d.scan.Raw() }
func takeToolArgs(d *decoder, _ *stream.Chunk) { d.note().tool.arguments = d.scan.Raw() }

// takeIndex takes the place of a tool call among the parts of an answer.
func takeIndex(d *decoder, _ *stream.Chunk) {
	if n, _, ok := d.scan.Number(math.MaxUint16); ok {
		d.note().tool.index = n + 1
	}
}

// addText adds to a text of an answer that is one object.
func addText(to *[]byte, more []byte) { *to = append((*to)[:len(*to):len(*to)], more...) }

// setWhole says what an answer that is one object holds.
func setWhole(c *stream.Chunk) {
	c.Kind |= stream.EventChoices
	if len(c.Text) > 0 {
		c.Kind |= stream.EventText
	}
	if len(c.Reasoning) > 0 {
		c.Kind |= stream.EventReasoning
	}
	if len(c.Tools) > 0 {
		c.Kind |= stream.EventTool
	}
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
