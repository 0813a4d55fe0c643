package dialect

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// chunks writes the JSON of a stream's events. What is the same in all of them
// is made once.
type chunks struct {
	call   *Call
	answer vocab.Answer
	head   []byte // up to and with `"choices":[`
	json   []byte // scratch for one event
	offset int    // bytes of text so far, for text_offset in logprobs
}

func newChunks(c *Call, a vocab.Answer, id, model string, created time.Time) Writer {
	object, prefix := "text_completion", "cmpl-"
	if c.Chat {
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

// Event implements Writer.
func (c *chunks) Event(e Event, out Emit) {
	c.json = c.appendTo(c.json[:0], e)
	out("", e.Kind, e.To-e.From, c.json)
}

func (c *chunks) Fail(out Emit) {
	out("", KindError, 0, []byte(`{"error":{"message":"`+errTold.Error()+`","type":"InternalServerError","param":null,"code":500}}`))
}

func (c *chunks) Done(_ Emit, mark func()) {
	if mark != nil {
		mark()
	}
}

// Event is what happens in an answer: tokens, or what stands around them.
type Event struct {
	Kind     string
	From, To int    // tokens
	Field    string // chat: the delta's field that carries the text
	Finish   string // "" for null
	Usage    *Usage // nil for none
	First    bool   // the first event of the stream: may carry prompt_token_ids
}

// append adds the event's JSON to b.
func (c *chunks) appendTo(b []byte, e Event) []byte {
	b = append(b, c.head...)
	if e.Kind == KindUsage {
		return append(c.appendUsage(append(b, ']'), e.Usage), '}')
	}
	b = append(b, `{"index":0,`...)
	if c.call.Chat {
		b = c.appendDelta(b, e)
	} else {
		b = append(c.appendText(append(b, `"text":"`...), e), '"')
	}
	b = append(b, `,"logprobs":`...)
	b = c.appendLogprobs(b, e)
	if e.Finish == "" {
		b = append(b, `,"finish_reason":null`...)
	} else {
		b = append(append(append(b, `,"finish_reason":"`...), e.Finish...), `","stop_reason":null`...)
	}
	if c.call.tokenIDs {
		b = appendInts(append(b, `,"token_ids":`...), c.answer.IDs(e.From, e.To))
		if e.First && !c.call.Chat {
			b = appendInts(append(b, `,"prompt_token_ids":`...), c.call.Prompt)
		}
	}
	b = append(b, "}]"...)
	if e.First && c.call.tokenIDs && c.call.Chat {
		b = appendInts(append(b, `,"prompt_token_ids":`...), c.call.Prompt)
	}
	return append(c.appendUsage(b, e.Usage), '}')
}

const toolHead = `"delta":{"tool_calls":[{"index":0,"id":"call_sim","type":"function","function":{"name":"answer","arguments":""}}]}`

func (c *chunks) appendDelta(b []byte, e Event) []byte {
	switch {
	case e.Kind == KindRole:
		return append(b, `"delta":{"role":"assistant","content":""}`...)
	case e.Kind == KindFinish:
		return append(b, `"delta":{}`...)
	case e.Kind == KindTool && e.From == e.To:
		return append(b, toolHead...)
	case e.Kind == KindTool:
		b = append(b, `"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`...)
		return append(c.appendText(b, e), `"}}]}`...)
	}
	b = append(append(append(b, `"delta":{"`...), e.Field...), `":"`...)
	return append(c.appendText(b, e), `"}`...)
}

func (c *chunks) appendText(b []byte, e Event) []byte {
	return c.answer.AppendJSON(b, e.From, e.To)
}

func (c *chunks) appendUsage(b []byte, u *Usage) []byte {
	if u == nil {
		return b
	}
	b = strconv.AppendInt(append(b, `,"usage":{"prompt_tokens":`...), int64(u.Prompt), 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), int64(u.Prompt+u.Completion), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(u.Completion), 10)
	b = strconv.AppendInt(append(b, `,"prompt_tokens_details":{"cached_tokens":`...), int64(u.Cached), 10)
	return append(b, "}}"...)
}

// Usage counts the tokens of a request.
type Usage struct{ Prompt, Completion, Cached int }

func appendInts(b []byte, ids []int32) []byte {
	b = append(b, '[')
	for i, id := range ids {
		b = strconv.AppendInt(Comma(b, i), int64(id), 10)
	}
	return append(b, ']')
}

// appendLogprobs is off the hot path, so it takes the easy way.
func (c *chunks) appendLogprobs(b []byte, e Event) []byte {
	if c.call.Logprobs < 0 || e.From == e.To {
		return append(b, "null"...)
	}
	lp := logprobs(c.call, c.answer, e.From, e.To, c.offset)
	for i := e.From; i < e.To; i++ {
		c.offset += len(c.answer.Piece(i).Text)
	}
	raw, err := json.Marshal(lp)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, raw...)
}

// logprobs of tokens from up to to, in the shape of the call's endpoint.
func logprobs(c *Call, a vocab.Answer, from, to, offset int) any {
	if c.Chat {
		content := []map[string]any{}
		for i := from; i < to; i++ {
			content = append(content, chatLogprob(a, i, c.Logprobs))
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
		for k := 1; k < c.Logprobs; k++ {
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

func Comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// openAIWhole is an answer in OpenAI's shape.
func openAIWhole(c *Call, a *Result) any {
	text := a.Answer.Text(0, a.Usage.Completion)
	choice := map[string]any{"index": 0, "finish_reason": a.Finish, "stop_reason": nil, "logprobs": nil}
	object, prefix := "text_completion", "cmpl-"
	if c.Chat {
		object, prefix = "chat.completion", "chatcmpl-"
		choice["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		choice["text"] = text
	}
	if c.Echoes() {
		choice["text"], choice["logprobs"] = a.Prompt+text, a.Logprobs
	} else if c.Logprobs >= 0 {
		choice["logprobs"] = logprobs(c, a.Answer, 0, a.Usage.Completion, 0)
	}
	if c.tokenIDs {
		choice["token_ids"] = a.Answer.IDs(0, a.Usage.Completion)
	}
	out := map[string]any{
		"id": prefix + a.ID, "object": object, "created": a.Received.Unix(),
		"model": a.Model, "choices": []any{choice},
	}
	if !a.NoUsage {
		out["usage"] = map[string]any{
			"prompt_tokens": a.Usage.Prompt, "completion_tokens": a.Usage.Completion,
			"total_tokens":          a.Usage.Prompt + a.Usage.Completion,
			"prompt_tokens_details": map[string]int{"cached_tokens": a.Usage.Cached},
		}
	}
	return out
}
