package protocol

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
		{name: "input", take: func(d *Decoder, _ *Chunk) { d.note().input = d.scan.Value() }},
	}
	// messageUsage: a prompt has tokens that were read from the cache, that were written to it, and others.
	messageUsage = shape{
		{name: "input_tokens", take: func(d *Decoder, c *Chunk) {
			d.note().flag = d.scan.Next() != 'n' // null
			c.Usage.Prompt += d.count()
		}},
		{name: "cache_creation_input_tokens", take: func(d *Decoder, c *Chunk) { c.Usage.Prompt += d.count() }},
		{name: "cache_read_input_tokens", take: func(d *Decoder, c *Chunk) {
			before := c.Usage.Cached
			takeCached(d, c)
			c.Usage.Prompt += c.Usage.Cached - before
		}},
		{name: "output_tokens", take: takeOutput},
	}
)

// messageMeaning says what an event is.
func messageMeaning(d *Decoder, _ []byte, c *Chunk) {
	f := d.note()
	switch string(f.kind) {
	case "message_start":
		// Its usage has the prompt, and of the answer nothing yet.
		c.Kind, c.Usage.Output = 0, 0
	case "content_block_start", "content_block_delta":
		switch {
		case len(f.delta) > 0:
			c.Text, c.Kind = d.scan.Unescape(f.delta), EventChoices|EventText
		case len(f.thinking) > 0:
			c.Reasoning, c.Kind = d.scan.Unescape(f.thinking), EventChoices|EventReasoning
		case len(f.tool.arguments) > 0:
			c.Kind = EventChoices | EventTool
			d.setTools(c)
		case isToolUse(f.itemKind):
			if len(f.input) > len("{}") && f.input[0] == '{' { // all of it at once
				f.tool.arguments, c.Kind = d.quote(f.input), EventChoices|EventTool
			}
			d.setTools(c)
		}
	case "message_delta":
		c.Replaces = f.flag
		c.setStop(f.stop)
	case "message_stop":
		c.Done = true
	}
}

// setStop says why an answer ended.
func (c *Chunk) setStop(stop []byte) {
	if len(stop) > 0 {
		c.Kind |= EventFinish
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
	{name: "content", take: func(d *Decoder, c *Chunk) { d.scan.Elements(func(int) { d.addBlock(c) }) }},
	{name: "stop_reason", take: takeStop},
	{name: "usage", take: takeUsage(messageUsage)},
	{name: "error", take: takeError},
}.reader()

func messageAnswered(d *Decoder, _ []byte, c *Chunk) {
	if c.Error == nil {
		c.setWhole()
		c.setStop(d.note().stop)
	}
}

var wholeBlock = blockFields.reader()

// addBlock adds a block to an answer.
func (d *Decoder) addBlock(c *Chunk) {
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
