package protocol

// responseFacts are what an event says, whatever the order of its fields.
type responseFacts struct {
	kind           []byte
	delta          []byte // as it stands in JSON
	message        []byte
	itemKind       []byte
	tool           toolFacts
	status, reason []byte // of the response
	calls          bool   // it has a tool call
}

func (responses) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	f := responseFacts{tool: toolFacts{index: -1}}
	s.object(func(name []byte) {
		switch string(name) {
		case "type":
			f.kind = s.raw()
		case "delta":
			f.delta = s.raw()
		case "output_index":
			f.tool.index = s.number()
		case "message":
			f.message = s.string()
		case "error":
			c.Error = d.errorWords()
		case "item":
			d.responseItem(&f)
		case "response":
			d.response(c, &f, false)
		case "timings":
			d.timings(c)
		default:
			s.skip()
		}
	})
	if err := s.finish(); err != nil {
		return err
	}
	f.apply(d, data, c)
	return nil
}

// apply says what the event is. Only what carries tokens, and the end, is more than a frame.
func (f *responseFacts) apply(d *Decoder, data []byte, c *Chunk) {
	kind, usage := c.Kind, c.Usage
	c.Kind, c.Usage = 0, Usage{} // what another event than the last tells of usage, such as zeros, is not the answer's
	switch string(f.kind) {
	case "response.output_text.delta", "response.refusal.delta":
		if len(f.delta) > 0 {
			c.Text, c.Kind = d.scan.plain(f.delta), EventChoices|EventText
		}
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if len(f.delta) > 0 {
			c.Reasoning, c.Kind = d.scan.plain(f.delta), EventChoices|EventReasoning
		}
	case "response.function_call_arguments.delta", "response.mcp_call_arguments.delta",
		"response.custom_tool_call_input.delta", "response.code_interpreter_call_code.delta":
		if len(f.delta) > 0 {
			f.tool.arguments, c.Kind = f.delta, EventChoices|EventTool
			d.setTools(c, f.tool)
		}
	case "response.output_item.added":
		if isCall(f.itemKind) {
			if len(f.tool.arguments) > 0 {
				c.Kind = EventChoices | EventTool
			}
			d.setTools(c, f.tool)
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		c.Kind, c.Usage = kind, usage
		f.end(c)
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

// end is the last event, or an answer that is one object.
func (f *responseFacts) end(c *Chunk) {
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
	case status == "incomplete" && (len(f.reason) == 0 || string(f.reason) == "max_output_tokens"):
		c.Finish = finishLength
	case status == "incomplete":
		c.Finish = f.reason
	case f.calls:
		c.Finish = finishTools
	default:
		c.Finish = finishStop
	}
}

// responseItem reads an item that begins.
func (d *Decoder) responseItem(f *responseFacts) {
	s := &d.scan
	s.fields(func(name []byte) {
		switch string(name) {
		case "type":
			f.itemKind = s.raw()
		case "call_id":
			f.tool.id = s.raw()
		case "name":
			f.tool.name = s.raw()
		case "arguments", "input":
			f.tool.arguments = s.raw()
		default:
			s.skip()
		}
	})
}

// response reads the object of a response; whole: with its texts.
func (d *Decoder) response(c *Chunk, f *responseFacts, whole bool) {
	d.scan.fields(func(name []byte) { d.responseField(c, f, name, whole) })
}

func (d *Decoder) responseField(c *Chunk, f *responseFacts, name []byte, whole bool) {
	s := &d.scan
	switch string(name) {
	case "id":
		c.ID = s.string()
	case "status":
		f.status = s.raw()
	case "error":
		c.Error = d.errorWords()
	case "incomplete_details":
		s.fields(func(name []byte) {
			if string(name) == "reason" {
				f.reason = s.raw()
			} else {
				s.skip()
			}
		})
	case "usage":
		d.responseUsage(c)
	case "output":
		s.elements(func(int) { d.outputItem(c, f, whole) })
	default:
		s.skip()
	}
}

// outputItem reads an item of the list of a response.
func (d *Decoder) outputItem(c *Chunk, f *responseFacts, whole bool) {
	s := &d.scan
	f.itemKind, f.tool = nil, toolFacts{index: -1}
	s.fields(func(name []byte) {
		switch string(name) {
		case "type":
			f.itemKind = s.raw()
		case "call_id":
			f.tool.id = s.raw()
		case "name":
			f.tool.name = s.raw()
		case "arguments", "input":
			f.tool.arguments = s.raw()
		case "content", "summary":
			if whole {
				s.elements(func(int) { d.outputPart(c) })
			} else {
				s.skip()
			}
		default:
			s.skip()
		}
	})
	if isCall(f.itemKind) {
		f.calls = true
		if whole {
			c.Tools = d.appendTool(c.Tools, f.tool)
			c.Kind |= EventTool
		}
	}
}

// outputPart adds a part of a message or of reasoning to the answer.
func (d *Decoder) outputPart(c *Chunk) {
	s := &d.scan
	var kind, text []byte
	s.fields(func(name []byte) {
		switch string(name) {
		case "type":
			kind = s.raw()
		case "text", "refusal":
			text = s.string()
		default:
			s.skip()
		}
	})
	switch string(kind) {
	case "output_text", "refusal":
		c.Text = append(c.Text[:len(c.Text):len(c.Text)], text...)
	case "reasoning_text", "summary_text":
		c.Reasoning = append(c.Reasoning[:len(c.Reasoning):len(c.Reasoning)], text...)
	}
}

func (d *Decoder) responseUsage(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	c.Kind |= EventUsage
	s.object(func(name []byte) {
		switch string(name) {
		case "input_tokens":
			c.Usage.Prompt = s.tokens("input_tokens")
		case "output_tokens":
			c.Usage.Output = s.tokens("output_tokens")
		case "input_tokens_details":
			s.detail("cached_tokens", c, s.cached)
		case "output_tokens_details":
			s.detail("reasoning_tokens", c, s.reasoning)
		default:
			s.skip()
		}
	})
}

// DecodeAnswer reads an answer that was not streamed: the response by itself.
func (responses) DecodeAnswer(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	d.scan.reset(data)
	f := responseFacts{}
	d.scan.object(func(name []byte) { d.responseField(c, &f, name, true) })
	if err := d.scan.finish(); err != nil {
		return err
	}
	if c.Error != nil {
		return nil
	}
	c.setWhole()
	f.end(c)
	return nil
}

// setWhole says what an answer that is one object holds.
func (c *Chunk) setWhole() {
	c.Kind |= EventChoices
	if len(c.Text) > 0 {
		c.Kind |= EventText
	}
	if len(c.Reasoning) > 0 {
		c.Kind |= EventReasoning
	}
	if len(c.Tools) > 0 {
		c.Kind |= EventTool
	}
}
