package sim

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// chunks writes the JSON of a stream's events. What is the same in all of them
// is made once.
type chunks struct {
	call   *call
	answer vocab.Answer
	head   []byte // up to and with `"choices":[`
	json   []byte // scratch for one event
	offset int    // bytes of text so far, for text_offset in logprobs
}

func newChunks(c *call, a vocab.Answer, id, model string, created time.Time) writer {
	object, prefix := "text_completion", "cmpl-"
	if c.chat {
		object, prefix = "chat.completion.chunk", "chatcmpl-"
	}
	if c.object != "" {
		object, prefix = c.object, c.idPrefix
	}
	head := append([]byte(`{"id":"`+prefix), vocab.JSONText(id)...)
	head = append(head, `","object":"`+object+`","created":`...)
	head = strconv.AppendInt(head, created.Unix(), 10)
	head = append(append(head, `,"model":"`...), vocab.JSONText(model)...)
	head = append(head, `","choices":[`...)
	return &chunks{call: c, answer: a, head: head}
}

// event implements writer.
func (c *chunks) event(e event, out emit) {
	c.json = c.append(c.json[:0], e)
	out("", e.kind, e.to-e.from, c.json)
}

func (c *chunks) fail(out emit) {
	out("", KindError, 0, []byte(`{"error":{"message":"`+errTold.Error()+`","type":"InternalServerError","param":null,"code":500}}`))
}

func (c *chunks) done(_ emit, mark func()) {
	if mark != nil {
		mark()
	}
}

// event is what happens in an answer: tokens, or what stands around them.
type event struct {
	kind     string
	from, to int    // tokens
	field    string // chat: the delta's field that carries the text
	finish   string // "" for null
	usage    *usage // nil for none
	first    bool   // the first event of the stream: may carry prompt_token_ids
}

// append adds the event's JSON to b.
func (c *chunks) append(b []byte, e event) []byte {
	b = append(b, c.head...)
	if e.kind == KindUsage {
		return append(c.appendUsage(append(b, ']'), e.usage), '}')
	}
	b = append(b, `{"index":0,`...)
	if c.call.chat {
		b = c.appendDelta(b, e)
	} else {
		b = append(c.appendText(append(b, `"text":"`...), e), '"')
	}
	b = append(b, `,"logprobs":`...)
	b = c.appendLogprobs(b, e)
	if e.finish == "" {
		b = append(b, `,"finish_reason":null`...)
	} else {
		b = append(append(append(b, `,"finish_reason":"`...), e.finish...), `","stop_reason":null`...)
	}
	if c.call.tokenIDs {
		b = appendInts(append(b, `,"token_ids":`...), c.answer.IDs(e.from, e.to))
		if e.first && !c.call.chat {
			b = appendInts(append(b, `,"prompt_token_ids":`...), c.call.prompt)
		}
	}
	b = append(b, "}]"...)
	if e.first && c.call.tokenIDs && c.call.chat {
		b = appendInts(append(b, `,"prompt_token_ids":`...), c.call.prompt)
	}
	return append(c.appendUsage(b, e.usage), '}')
}

const toolHead = `"delta":{"tool_calls":[{"index":0,"id":"call_sim","type":"function","function":{"name":"answer","arguments":""}}]}`

func (c *chunks) appendDelta(b []byte, e event) []byte {
	switch {
	case e.kind == KindRole:
		return append(b, `"delta":{"role":"assistant","content":""}`...)
	case e.kind == KindFinish:
		return append(b, `"delta":{}`...)
	case e.kind == KindTool && e.from == e.to:
		return append(b, toolHead...)
	case e.kind == KindTool:
		b = append(b, `"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`...)
		return append(c.appendText(b, e), `"}}]}`...)
	}
	b = append(append(append(b, `"delta":{"`...), e.field...), `":"`...)
	return append(c.appendText(b, e), `"}`...)
}

func (c *chunks) appendText(b []byte, e event) []byte {
	for i := e.from; i < e.to; i++ {
		b = append(b, c.answer.Piece(i).JSON...)
	}
	return b
}

func (c *chunks) appendUsage(b []byte, u *usage) []byte {
	if u == nil {
		return b
	}
	b = strconv.AppendInt(append(b, `,"usage":{"prompt_tokens":`...), int64(u.Prompt), 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), int64(u.Prompt+u.Completion), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(u.Completion), 10)
	b = strconv.AppendInt(append(b, `,"prompt_tokens_details":{"cached_tokens":`...), int64(u.Cached), 10)
	return append(b, "}}"...)
}

// usage counts the tokens of a request.
type usage struct{ Prompt, Completion, Cached int }

func appendInts(b []byte, ids []int32) []byte {
	b = append(b, '[')
	for i, id := range ids {
		b = strconv.AppendInt(comma(b, i), int64(id), 10)
	}
	return append(b, ']')
}

// appendLogprobs is off the hot path, so it takes the easy way.
func (c *chunks) appendLogprobs(b []byte, e event) []byte {
	if c.call.logprobs < 0 || e.from == e.to {
		return append(b, "null"...)
	}
	lp := logprobs(c.call, c.answer, e.from, e.to, c.offset)
	for i := e.from; i < e.to; i++ {
		c.offset += len(c.answer.Piece(i).Text)
	}
	raw, err := json.Marshal(lp)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, raw...)
}

// logprobs of tokens from up to to, in the shape of the call's endpoint.
func logprobs(c *call, a vocab.Answer, from, to, offset int) any {
	if c.chat {
		content := []map[string]any{}
		for i := from; i < to; i++ {
			content = append(content, chatLogprob(a, i, c.logprobs))
		}
		return map[string]any{"content": content}
	}
	var tokens []string
	var values []float64
	var top []map[string]float64
	var offsets []int
	for i := from; i < to; i++ {
		text := a.Piece(i).Text
		tokens = append(tokens, text)
		values = append(values, a.Logprob(i))
		offsets = append(offsets, offset)
		offset += len(text)
		alternatives := map[string]float64{text: a.Logprob(i)}
		for k := 1; k < c.logprobs; k++ {
			alternatives[a.Piece(i+k).Text] = a.Logprob(i) - float64(k)
		}
		top = append(top, alternatives)
	}
	return map[string]any{"tokens": tokens, "token_logprobs": values, "top_logprobs": top, "text_offset": offsets}
}

func chatLogprob(a vocab.Answer, i, top int) map[string]any {
	entry := func(text string, value float64) map[string]any {
		bytes := make([]int, len(text))
		for j := range len(text) {
			bytes[j] = int(text[j])
		}
		return map[string]any{"token": text, "logprob": value, "bytes": bytes}
	}
	e := entry(a.Piece(i).Text, a.Logprob(i))
	alternatives := []map[string]any{}
	for k := range top {
		alternatives = append(alternatives, entry(a.Piece(i+k).Text, a.Logprob(i)-float64(k)))
	}
	e["top_logprobs"] = alternatives
	return e
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// openAIWhole is an answer in OpenAI's shape.
func openAIWhole(c *call, a *result) any {
	text := a.answer.Text(0, a.usage.Completion)
	choice := map[string]any{"index": 0, "finish_reason": a.finish, "stop_reason": nil, "logprobs": nil}
	object, prefix := "text_completion", "cmpl-"
	if c.chat {
		object, prefix = "chat.completion", "chatcmpl-"
		choice["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		choice["text"] = text
	}
	if c.echoes() {
		choice["text"], choice["logprobs"] = a.prompt+text, a.logprobs
	} else if c.logprobs >= 0 {
		choice["logprobs"] = logprobs(c, a.answer, 0, a.usage.Completion, 0)
	}
	if c.tokenIDs {
		choice["token_ids"] = a.answer.IDs(0, a.usage.Completion)
	}
	out := map[string]any{
		"id": prefix + a.id, "object": object, "created": a.received.Unix(),
		"model": a.model, "choices": []any{choice},
	}
	if !a.noUsage {
		out["usage"] = map[string]any{
			"prompt_tokens": a.usage.Prompt, "completion_tokens": a.usage.Completion,
			"total_tokens":          a.usage.Prompt + a.usage.Completion,
			"prompt_tokens_details": map[string]int{"cached_tokens": a.usage.Cached},
		}
	}
	return out
}
