package protocol

// messageFacts are what an event says, whatever the order of its fields.
type messageFacts struct {
	kind, blockKind      []byte
	text, thinking, json []byte // of a delta or a block, as they stand in JSON
	input                []byte // of a block
	tool                 toolFacts
	stop                 []byte
	prompt               bool // the usage counts the prompt
}

func (messages) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	f := messageFacts{tool: toolFacts{index: -1}}
	s.object(func(name []byte) {
		switch string(name) {
		case "type":
			f.kind = s.raw()
		case "index":
			f.tool.index = s.number()
		case "delta":
			s.fields(func(name []byte) { d.messageDelta(&f, name) })
		case "content_block":
			s.fields(func(name []byte) { d.messageBlock(&f, name) })
		case "message":
			s.fields(func(name []byte) {
				switch string(name) {
				case "id":
					c.ID = s.string()
				case "usage":
					d.messageUsage(c, &f)
				default:
					s.skip()
				}
			})
		case "usage":
			d.messageUsage(c, &f)
		case "error":
			c.Error = d.errorWords()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	f.apply(d, c)
	return nil
}

// apply says what the event is.
func (f *messageFacts) apply(d *Decoder, c *Chunk) {
	switch string(f.kind) {
	case "message_start":
		// Its usage has the prompt, and of the answer nothing yet.
		c.Kind, c.Usage.Output = 0, 0
	case "content_block_start", "content_block_delta":
		switch {
		case len(f.text) > 0:
			c.Text, c.Kind = d.scan.plain(f.text), EventChoices|EventText
		case len(f.thinking) > 0:
			c.Reasoning, c.Kind = d.scan.plain(f.thinking), EventChoices|EventReasoning
		case len(f.json) > 0:
			f.tool.arguments, c.Kind = f.json, EventChoices|EventTool
			d.setTools(c, f.tool)
		case isToolUse(f.blockKind):
			if len(f.input) > len("{}") && f.input[0] == '{' { // all of it at once
				f.tool.arguments, c.Kind = d.quote(f.input), EventChoices|EventTool
			}
			d.setTools(c, f.tool)
		}
	case "message_delta":
		c.Replaces = f.prompt
		if len(f.stop) > 0 {
			c.Kind |= EventFinish
			c.Finish = finishOf(f.stop)
		}
	case "message_stop":
		c.Done = true
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

func (d *Decoder) messageDelta(f *messageFacts, name []byte) {
	s := &d.scan
	switch string(name) {
	case "text":
		f.text = s.raw()
	case "thinking":
		f.thinking = s.raw()
	case "partial_json":
		f.json = s.raw()
	case "stop_reason":
		f.stop = s.raw()
	default: // a signature is no token
		s.skip()
	}
}

func (d *Decoder) messageBlock(f *messageFacts, name []byte) {
	s := &d.scan
	switch string(name) {
	case "type":
		f.blockKind = s.raw()
	case "text":
		f.text = s.raw()
	case "thinking":
		f.thinking = s.raw()
	case "id":
		f.tool.id = s.raw()
	case "name":
		f.tool.name = s.raw()
	case "input":
		f.input = s.value()
	default:
		s.skip()
	}
}

// quote writes JSON as it stands inside a JSON string.
func (d *Decoder) quote(value []byte) []byte {
	d.quoted = d.quoted[:0]
	for _, b := range value {
		switch {
		case b == '"' || b == '\\':
			d.quoted = append(d.quoted, '\\', b)
		case b < ' ': // white space between values
			d.quoted = append(d.quoted, ' ')
		default:
			d.quoted = append(d.quoted, b)
		}
	}
	return d.quoted
}

// messageUsage reads usage. A prompt has tokens that were read from the cache, that were
// written to it, and others.
func (d *Decoder) messageUsage(c *Chunk, f *messageFacts) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	c.Kind |= EventUsage
	s.object(func(name []byte) {
		switch string(name) {
		case "input_tokens":
			f.prompt = s.next() != 'n' // null
			c.Usage.Prompt += s.tokens("input_tokens")
		case "cache_creation_input_tokens":
			c.Usage.Prompt += s.tokens("cache_creation_input_tokens")
		case "cache_read_input_tokens":
			before := c.Usage.Cached
			s.cached(c)
			c.Usage.Prompt += c.Usage.Cached - before
		case "output_tokens":
			c.Usage.Output = s.tokens("output_tokens")
		default:
			s.skip()
		}
	})
}

// DecodeAnswer reads an answer that was not streamed.
func (messages) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	var f messageFacts
	s.object(func(name []byte) {
		switch string(name) {
		case "id":
			c.ID = s.string()
		case "content":
			s.elements(func(int) { d.wholeBlock(c) })
		case "stop_reason":
			f.stop = s.raw()
		case "usage":
			d.messageUsage(c, &f)
		case "error":
			c.Error = d.errorWords()
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	if c.Error != nil {
		return nil
	}
	c.setWhole()
	if len(f.stop) > 0 {
		c.Kind |= EventFinish
		c.Finish = finishOf(f.stop)
	}
	return nil
}

// wholeBlock adds a block to the answer.
func (d *Decoder) wholeBlock(c *Chunk) {
	f := messageFacts{tool: toolFacts{index: -1}}
	d.scan.fields(func(name []byte) { d.messageBlock(&f, name) })
	switch {
	case isToolUse(f.blockKind):
		if len(f.input) > 0 && f.input[0] == '{' {
			f.tool.arguments = d.quote(f.input)
		}
		c.Tools = d.appendTool(c.Tools, f.tool)
	case len(f.text) > 0:
		c.Text = append(c.Text[:len(c.Text):len(c.Text)], d.scan.plain(f.text)...)
	case len(f.thinking) > 0:
		c.Reasoning = append(c.Reasoning[:len(c.Reasoning):len(c.Reasoning)], d.scan.plain(f.thinking)...)
	}
}
