package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Ollama's own API: a JSON object a line, the last of which has the counts, and durations
// in nanoseconds. From its docs/api.md and api/types.go, version 0.17.
var (
	ollamaGenerate = &dialect{
		paths: []string{"/api/generate"}, read: readOllama, write: newOllama, whole: ollamaWhole, failure: ollamaFailure,
		lines: true, ownFinish: true, usageWithFinish: true, stopsForTools: true,
	}
	ollamaChat = &dialect{
		paths: []string{"/api/chat"}, read: readOllama, write: newOllama, whole: ollamaWhole, failure: ollamaFailure,
		lines: true, ownFinish: true, usageWithFinish: true, stopsForTools: true,
	}
)

// ollamaBody is what is heeded of a request. What is not listed is ignored there too, and
// ignore_eos and its like are not listed.
type ollamaBody struct {
	Model    string          `json:"model"`
	Prompt   string          `json:"prompt"`
	Raw      bool            `json:"raw"`
	Images   [][]byte        `json:"images"` // in base64
	Messages []ollamaMessage `json:"messages"`
	Stream   *bool           `json:"stream"` // true unless it says otherwise
	Truncate *bool           `json:"truncate"`
	Logprobs bool            `json:"logprobs"`
	Options  struct {
		NumPredict *int     `json:"num_predict"` // below 1: as long as it likes
		NumCtx     int      `json:"num_ctx"`
		Temp       *float64 `json:"temperature"`
		TopK       *int     `json:"top_k"`
		TopP       *float64 `json:"top_p"`
		MinP       *float64 `json:"min_p"`
		Repeat     *float64 `json:"repeat_penalty"`
		Stop       []string `json:"stop"`
	} `json:"options"`
}

type ollamaMessage struct {
	Role      string   `json:"role"`
	Content   string   `json:"content"` // never a list of parts
	Images    [][]byte `json:"images"`
	ToolCalls []struct {
		Function struct {
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func readOllama(m *model, r *http.Request, raw []byte) (*call, error) {
	var b ollamaBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err // Go's own words are Ollama's
	}
	c := &call{model: b.Model, chat: r.URL.Path == "/api/chat", stream: b.Stream == nil || *b.Stream, logprobs: -1, media: len(b.Images)}
	if b.Model == "" {
		return nil, wording("model is required")
	}
	if b.Logprobs {
		c.logprobs = 0
	}
	var err error
	if c.prompt, err = b.tokens(c, m.tokenizer); err != nil {
		return nil, err
	}
	return c, b.fit(c, m.maxLen, m.defaultMaxTokens)
}

// tokens are those of the prompt, by the model's template unless it is raw.
func (b *ollamaBody) tokens(c *call, t vocab.Tokenizer) ([]int32, error) {
	if !c.chat && b.Raw {
		return t.Encode(b.Prompt)
	}
	messages := []ollamaMessage{{Role: "user", Content: b.Prompt}}
	if c.chat {
		messages = b.Messages
	} else {
		c.context = true
	}
	list := make([]message, len(messages))
	for i, m := range messages {
		content, err := json.Marshal(m.Content)
		if err != nil {
			return nil, err
		}
		list[i] = message{Role: m.Role, Content: content}
		c.media += len(m.Images)
	}
	return chatPrompt(list, t)
}

// fit cuts a prompt that is longer than the context, which Ollama tells nobody, and takes
// a length that does not fit for one that does.
func (b *ollamaBody) fit(c *call, limit, most int) error {
	if b.Options.NumCtx > 0 {
		limit = min(limit, b.Options.NumCtx)
	}
	if len(c.prompt) >= limit {
		if b.Truncate != nil && !*b.Truncate {
			return wording("the input length exceeds the context length")
		}
		c.prompt = c.prompt[len(c.prompt)-limit+1:]
	}
	c.maxTokens = most
	if n := b.Options.NumPredict; n != nil && *n > 0 {
		c.maxTokens = *n
	}
	c.maxTokens = min(c.maxTokens, limit-len(c.prompt))
	return nil
}

func ollamaFailure(_ int, err error) any { return map[string]string{"error": err.Error()} }

// ollamaLines writes a stream.
type ollamaLines struct {
	call   *call
	answer vocab.Answer
	model  []byte // in JSON
	spent  spent
	json   []byte
	// The tokens of a tool call are held back until it is whole.
	toolFrom, toolTo int
}

func newOllama(c *call, a vocab.Answer, _, model string, created time.Time) writer {
	return &ollamaLines{call: c, answer: a, model: vocab.JSONText(model), spent: spent{begin: created}}
}

func (o *ollamaLines) event(e event, out emit) {
	now := time.Now()
	if e.to > e.from {
		o.spent.token(now)
	}
	switch e.kind {
	case KindToken, KindReasoning:
		field := "content"
		if e.kind == KindReasoning {
			field = "thinking"
		}
		b := o.head(now)
		b = append(o.text(b, field, e.from, e.to), `,"done":false`...)
		if o.call.logprobs >= 0 {
			b = o.logprobs(b, e.from, e.to)
		}
		o.json = append(b, '}')
		out("", e.kind, e.to-e.from, o.json)
	case KindTool:
		if o.toolTo == 0 {
			o.toolFrom = e.from
		}
		o.toolTo = e.to
	case KindFinish:
		o.tool(now, out)
		o.finish(now, e, out)
	}
}

// tool is a whole call, in a line of its own.
func (o *ollamaLines) tool(now time.Time, out emit) {
	if o.toolTo == o.toolFrom {
		return
	}
	b := append(o.head(now), `,"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_sim","function":{"index":0,"name":"answer","arguments":{"text":"`...)
	for i := o.toolFrom; i < o.toolTo; i++ {
		b = append(b, o.answer.Piece(i).JSON...)
	}
	o.json = append(b, `"}}}]},"done":false}`...)
	out("", KindTool, o.toolTo-o.toolFrom, o.json)
}

func (o *ollamaLines) finish(now time.Time, e event, out emit) {
	b := o.text(o.head(now), "content", e.from, e.from)
	b = append(append(append(b, `,"done":true,"done_reason":"`...), e.finish...), '"')
	if o.call.context {
		b = appendInts(append(b, `,"context":`...), append(o.call.prompt[:len(o.call.prompt):len(o.call.prompt)], o.answer.IDs(0, e.to)...))
	}
	number := func(name string, v int64) {
		if v > 0 { // zeros are left out
			b = strconv.AppendInt(append(append(append(b, `,"`...), name...), `":`...), v, 10)
		}
	}
	number("total_duration", int64(o.spent.total(now)))
	if e.usage != nil {
		number("prompt_eval_count", int64(e.usage.Prompt))
		number("prompt_eval_duration", int64(o.spent.prompt()))
		number("eval_count", int64(e.usage.Completion))
		number("eval_duration", int64(o.spent.output()))
	}
	o.json = append(b, '}')
	out("", KindFinish, 0, o.json)
}

// head is an object up to its time, without the end.
func (o *ollamaLines) head(now time.Time) []byte {
	b := append(append(o.json[:0], `{"model":"`...), o.model...)
	b = now.UTC().AppendFormat(append(b, `","created_at":"`...), time.RFC3339Nano)
	return append(b, '"')
}

// text is where a chat has its message, and generate its response.
func (o *ollamaLines) text(b []byte, field string, from, to int) []byte {
	switch {
	case !o.call.chat:
		b = append(b, `,"response":"`...)
	case field == "thinking":
		b = append(b, `,"message":{"role":"assistant","content":"","thinking":"`...)
	default:
		b = append(b, `,"message":{"role":"assistant","content":"`...)
	}
	for i := from; i < to; i++ {
		b = append(b, o.answer.Piece(i).JSON...)
	}
	if o.call.chat {
		return append(b, `"}`...)
	}
	return append(b, '"')
}

// logprobs has an entry a token.
func (o *ollamaLines) logprobs(b []byte, from, to int) []byte {
	list := []map[string]any{}
	for i := from; i < to; i++ {
		list = append(list, map[string]any{"token": o.answer.Piece(i).Text, "logprob": o.answer.Logprob(i)})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return b
	}
	return append(append(b, `,"logprobs":`...), raw...)
}

func (o *ollamaLines) fail(out emit) {
	out("", KindError, 0, fmt.Appendf(nil, `{"error":%q}`, errTold.Error()))
}

// done: an error line is the last one.
func (o *ollamaLines) done(emit, func()) {}

// ollamaWhole is an answer in one object, with the fields of all lines.
func ollamaWhole(c *call, a *result) any {
	now, text := time.Now(), a.answer.Text(0, a.usage.Completion)
	spent := spent{begin: a.received, first: a.firstToken, last: now}
	out := map[string]any{
		"model": a.model, "created_at": now.UTC().Format(time.RFC3339Nano), "done": true, "done_reason": a.finish,
		"total_duration": spent.total(now),
	}
	if c.chat {
		out["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		out["response"] = text
	}
	if !a.noUsage {
		out["prompt_eval_count"], out["prompt_eval_duration"] = a.usage.Prompt, spent.prompt()
		out["eval_count"], out["eval_duration"] = a.usage.Completion, spent.output()
	}
	return out
}

// spent is a server's own account of a request's time.
type spent struct{ begin, first, last time.Time }

func (s *spent) token(now time.Time) {
	if s.first.IsZero() {
		s.first = now
	}
	s.last = now
}

func (s *spent) prompt() time.Duration {
	if s.first.IsZero() {
		return 0
	}
	return s.first.Sub(s.begin)
}

func (s *spent) output() time.Duration {
	if s.first.IsZero() {
		return 0
	}
	return s.last.Sub(s.first)
}

func (s *spent) total(now time.Time) time.Duration { return now.Sub(s.begin) }
