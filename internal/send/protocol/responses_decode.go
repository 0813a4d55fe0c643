package protocol

import "slices"

var (
	responseEvent = shape{
		{name: "type", take: takeKind},
		{name: "delta", take: takeDelta},
		{name: "output_index", take: takeIndex},
		{name: "message", take: func(d *Decoder, _ *Chunk) { d.note().message = d.scan.Text() }},
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
		{name: "output", take: func(d *Decoder, c *Chunk) {
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
func responseMeaning(d *Decoder, data []byte, c *Chunk) {
	f := d.note()
	kind, usage := c.Kind, c.Usage
	c.Kind, c.Usage = 0, Usage{} // what another event than the last tells of usage, such as zeros, is not the answer's
	switch string(f.kind) {
	case "response.output_text.delta", "response.refusal.delta":
		if len(f.delta) > 0 {
			c.Text, c.Kind = d.scan.Unescape(f.delta), EventChoices|EventText
		}
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if len(f.delta) > 0 {
			c.Reasoning, c.Kind = d.scan.Unescape(f.delta), EventChoices|EventReasoning
		}
	case "response.function_call_arguments.delta", "response.mcp_call_arguments.delta",
		"response.custom_tool_call_input.delta", "response.code_interpreter_call_code.delta":
		if len(f.delta) > 0 {
			f.tool.arguments, c.Kind = f.delta, EventChoices|EventTool
			d.setTools(c)
		}
	case "response.output_item.added":
		if isCall(f.itemKind) {
			if len(f.tool.arguments) > 0 {
				c.Kind = EventChoices | EventTool
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
func (f *facts) endResponse(c *Chunk) {
	c.Kind |= EventFinish
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
func responseAnswered(d *Decoder, _ []byte, c *Chunk) {
	if c.Error != nil {
		return
	}
	c.Tools = d.tools
	c.setWhole()
	d.note().endResponse(c)
}

var responsePartFields = shape{
	{name: "type", take: takeStatus},
	{name: "text", take: takeDelta},
	{name: "refusal", take: takeDelta},
}.reader()

// takeParts adds the parts of a message or of reasoning to an answer.
func takeParts(d *Decoder, c *Chunk) {
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
