package dialect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Ollama's own API: a JSON object a line, the last of which has the counts, and durations
// in nanoseconds. From its docs/api.md and api/types.go, version 0.17.
var (
	ollamaGenerate = &Dialect{
		Paths: []string{"/api/generate"}, Read: readOllama, Write: newOllama, Whole: ollamaWhole, failure: ollamaFailure,
		Lines: true, OwnFinish: true, UsageWithFinish: true, StopsForTools: true,
	}
	ollamaChat = &Dialect{
		Paths: []string{"/api/chat"}, Read: readOllama, Write: newOllama, Whole: ollamaWhole, failure: ollamaFailure,
		Lines: true, OwnFinish: true, UsageWithFinish: true, StopsForTools: true,
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

func readOllama(m *Model, r *http.Request, raw []byte) (*Call, error) {
	var b ollamaBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err // Go's own words are Ollama's
	}
	c := &Call{Model: b.Model, Chat: r.URL.Path == "/api/chat", Stream: b.Stream == nil || *b.Stream, Logprobs: -1, Media: len(b.Images)}
	if b.Model == "" {
		return nil, Wording("model is required")
	}
	if b.Logprobs {
		c.Logprobs = 0
	}
	var err error
	if c.Prompt, err = b.tokens(c, m.Tokenizer); err != nil {
		return nil, err
	}
	return c, b.fit(c, m.MaxLen, m.DefaultMaxTokens)
}

// tokens are those of the prompt, by the model's template unless it is raw.
func (b *ollamaBody) tokens(c *Call, t vocab.Tokenizer) ([]int32, error) {
	if !c.Chat && b.Raw {
		return t.Encode(b.Prompt)
	}
	messages := []ollamaMessage{{Role: "user", Content: b.Prompt}}
	if c.Chat {
		messages = b.Messages
	} else {
		c.context = true
	}
	list := make([]Message, len(messages))
	for i, m := range messages {
		content, err := json.Marshal(m.Content)
		if err != nil {
			return nil, err
		}
		list[i] = Message{Role: m.Role, Content: content}
		c.Media += len(m.Images)
	}
	return ChatPrompt(list, t)
}

// fit cuts a prompt that is longer than the context, which Ollama tells nobody, and takes
// a length that does not fit for one that does.
func (b *ollamaBody) fit(c *Call, limit, most int) error {
	if b.Options.NumCtx > 0 {
		limit = min(limit, b.Options.NumCtx)
	}
	if len(c.Prompt) >= limit {
		if b.Truncate != nil && !*b.Truncate {
			return Wording("the input length exceeds the context length")
		}
		c.Prompt = c.Prompt[len(c.Prompt)-limit+1:]
	}
	c.MaxTokens = most
	if n := b.Options.NumPredict; n != nil && *n > 0 {
		c.MaxTokens = *n
	}
	c.MaxTokens = min(c.MaxTokens, limit-len(c.Prompt))
	return nil
}

func ollamaFailure(_ int, err error) any { return map[string]string{"error": err.Error()} }

// ollamaLines writes a stream.
type ollamaLines struct {
	call   *Call
	answer vocab.Answer
	model  []byte // in JSON
	spent  spent
	json   []byte
	// The tokens of a tool call are held back until it is whole.
	toolFrom, toolTo int
}

func newOllama(c *Call, a vocab.Answer, _, model string, created time.Time) Writer {
	return &ollamaLines{call: c, answer: a, model: vocab.JSONText(model), spent: spent{begin: created}}
}

func (o *ollamaLines) Event(e Event, out Emit) {
	now := clock.Now()
	if e.To > e.From {
		o.spent.token(now)
	}
	switch e.Kind {
	case KindToken, KindReasoning:
		field := "content"
		if e.Kind == KindReasoning {
			field = "thinking"
		}
		b := o.head(now)
		b = append(o.text(b, field, e.From, e.To), `,"done":false`...)
		if o.call.Logprobs >= 0 {
			b = o.logprobs(b, e.From, e.To)
		}
		o.json = append(b, '}')
		out("", e.Kind, e.To-e.From, o.json)
	case KindTool:
		if o.toolTo == 0 {
			o.toolFrom = e.From
		}
		o.toolTo = e.To
	case KindFinish:
		o.tool(now, out)
		o.finish(now, e, out)
	}
}

// tool is a whole call, in a line of its own.
func (o *ollamaLines) tool(now time.Time, out Emit) {
	if o.toolTo == o.toolFrom {
		return
	}
	b := append(o.head(now), `,"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_sim","function":{"index":0,"name":"answer","arguments":{"text":"`...)
	b = o.answer.AppendJSON(b, o.toolFrom, o.toolTo)
	o.json = append(b, `"}}}]},"done":false}`...)
	out("", KindTool, o.toolTo-o.toolFrom, o.json)
}

func (o *ollamaLines) finish(now time.Time, e Event, out Emit) {
	b := o.text(o.head(now), "content", e.From, e.From)
	b = append(append(append(b, `,"done":true,"done_reason":"`...), e.Finish...), '"')
	if o.call.context {
		b = appendInts(append(b, `,"context":`...), append(o.call.Prompt[:len(o.call.Prompt):len(o.call.Prompt)], o.answer.IDs(0, e.To)...))
	}
	number := func(name string, v int64) {
		if v > 0 { // zeros are left out
			b = strconv.AppendInt(append(append(append(b, `,"`...), name...), `":`...), v, 10)
		}
	}
	number("total_duration", int64(o.spent.total(now)))
	if e.Usage != nil {
		number("prompt_eval_count", int64(e.Usage.Prompt))
		number("prompt_eval_duration", int64(o.spent.prompt()))
		number("eval_count", int64(e.Usage.Completion))
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
	case !o.call.Chat:
		b = append(b, `,"response":"`...)
	case field == "thinking":
		b = append(b, `,"message":{"role":"assistant","content":"","thinking":"`...)
	default:
		b = append(b, `,"message":{"role":"assistant","content":"`...)
	}
	b = o.answer.AppendJSON(b, from, to)
	if o.call.Chat {
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

func (o *ollamaLines) Fail(out Emit) {
	out("", KindError, 0, fmt.Appendf(nil, `{"error":%q}`, errTold.Error()))
}

// Done: an error line is the last one.
func (o *ollamaLines) Done(Emit, func()) {}

// ollamaWhole is an answer in one object, with the fields of all lines.
func ollamaWhole(c *Call, a *Result) any {
	now, text := clock.Now(), a.Answer.Text(0, a.Usage.Completion)
	spent := spent{begin: a.Received, first: a.FirstToken, last: now}
	out := map[string]any{
		"model": a.Model, "created_at": now.UTC().Format(time.RFC3339Nano), "done": true, "done_reason": a.Finish,
		"total_duration": spent.total(now),
	}
	if c.Chat {
		out["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		out["response"] = text
	}
	if !a.NoUsage {
		out["prompt_eval_count"], out["prompt_eval_duration"] = a.Usage.Prompt, spent.prompt()
		out["eval_count"], out["eval_duration"] = a.Usage.Completion, spent.output()
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
