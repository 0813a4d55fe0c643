package dialect

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// llamaCompletion is llama.cpp's own /completion, from its tools/server/README.md.
var llamaCompletion = &Dialect{
	Paths: []string{"/completion"}, Read: readLlama, Write: newLlama, Whole: llamaWhole, failure: llamaFailure,
	OwnFinish: true, UsageWithFinish: true,
}

// llamaBody is what is heeded of a request; the model is not.
type llamaBody struct {
	Prompt              json.RawMessage `json:"prompt"`
	Stream              bool            `json:"stream"`
	NPredict            *int            `json:"n_predict"` // −1: endless
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	ReturnTokens        bool            `json:"return_tokens"`
	ReturnProgress      bool            `json:"return_progress"`
	TimingsPerToken     bool            `json:"timings_per_token"`
}

var errTooLong = errors.New("the request exceeds the available context size, try increasing it")

// llamaAsked is what a request asks for beside what all dialects know.
type llamaAsked struct {
	prompt                    string
	tokens, progress, timings bool
}

func readLlama(m *Model, _ *http.Request, raw []byte) (*Call, error) {
	var b llamaBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err
	}
	c := &Call{Stream: b.Stream, IgnoreEOS: b.IgnoreEOS, UsageAlways: true, Logprobs: -1}
	var err error
	if c.Prompt, err = promptTokens(b.Prompt, m.Tokenizer); err != nil {
		return nil, err
	}
	if len(c.Prompt) >= m.MaxLen {
		return nil, errTooLong
	}
	text, err := m.Tokenizer.Decode(c.Prompt)
	if err != nil {
		return nil, err
	}
	c.own = &llamaAsked{prompt: text, tokens: b.ReturnTokens, progress: b.ReturnProgress, timings: b.TimingsPerToken}
	c.MaxTokens = m.DefaultMaxTokens
	for _, n := range []*int{b.MaxTokens, b.MaxCompletionTokens, b.NPredict} {
		if n != nil && *n >= 0 {
			c.MaxTokens = max(*n, 1) // it makes a token before it looks
		}
	}
	c.MaxTokens = min(c.MaxTokens, m.MaxLen-len(c.Prompt)) // there it ends with "limit"
	return c, nil
}

func llamaFailure(status int, err error) any {
	kind := "server_error"
	switch {
	case errors.Is(err, errTooLong):
		kind = "exceed_context_size_error"
	case status < http.StatusInternalServerError:
		kind = "invalid_request_error"
	}
	return map[string]any{"error": map[string]any{"code": status, "message": err.Error(), "type": kind}}
}

// llamaEvents writes a stream.
type llamaEvents struct {
	call   *Call
	asked  *llamaAsked
	answer vocab.Answer
	model  string
	spent  spent
	json   []byte
}

func newLlama(c *Call, a vocab.Answer, _, model string, created time.Time) Writer {
	return &llamaEvents{call: c, asked: c.own.(*llamaAsked), answer: a, model: model, spent: spent{begin: created}}
}

func (l *llamaEvents) Event(e Event, out Emit) {
	first := l.spent.first.IsZero()
	if e.To > e.From {
		l.spent.token(clock.Now())
	}
	if e.Kind == KindFinish {
		l.finish(e, out)
		return
	}
	if first && l.asked.progress && e.Usage != nil {
		l.progress(e.Usage, e.Usage.Cached, out)
		l.progress(e.Usage, e.Usage.Prompt, out)
	}
	b := append(l.json[:0], `{"index":0,"content":"`...)
	b = l.answer.AppendJSON(b, e.From, e.To)
	b = append(b, `","tokens":[`...)
	for i := e.From; i < e.To; i++ {
		b = strconv.AppendInt(Comma(b, i-e.From), int64(l.answer.Piece(i).ID), 10)
	}
	b = l.counts(append(b, `],"stop":false,"id_slot":-1`...), e.Usage)
	if l.asked.timings && e.Usage != nil {
		b = l.timings(b, e.Usage)
	}
	l.json = append(b, '}')
	out("", e.Kind, e.To-e.From, l.json)
}

// progress says how far the prompt is. Its token 0 is none: llama.cpp 0.5 sends it.
func (l *llamaEvents) progress(u *Usage, processed int, out Emit) {
	none := Usage{Prompt: u.Prompt}
	b := l.counts(append(l.json[:0], `{"index":0,"content":"","tokens":[0],"stop":false,"id_slot":-1`...), &none)
	b = strconv.AppendInt(append(b, `,"prompt_progress":{"total":`...), int64(u.Prompt), 10)
	b = strconv.AppendInt(append(b, `,"cache":`...), int64(u.Cached), 10)
	b = strconv.AppendInt(append(b, `,"processed":`...), int64(processed), 10)
	b = strconv.AppendInt(append(b, `,"time_ms":`...), l.spent.prompt().Milliseconds(), 10)
	l.json = append(b, "}}"...)
	out("", KindFrame, 0, l.json)
}

func (l *llamaEvents) counts(b []byte, u *Usage) []byte {
	if u == nil {
		return b
	}
	b = strconv.AppendInt(append(b, `,"tokens_predicted":`...), int64(u.Completion), 10)
	return strconv.AppendInt(append(b, `,"tokens_evaluated":`...), int64(u.Prompt), 10)
}

func (l *llamaEvents) timings(b []byte, u *Usage) []byte {
	raw, err := json.Marshal(llamaTimings(&l.spent, u))
	if err != nil {
		return b // numbers always marshal
	}
	return append(append(b, `,"timings":`...), raw...)
}

// finish is the last event: it has no text, and repeats the prompt and the settings.
func (l *llamaEvents) finish(e Event, out Emit) {
	last := llamaLast(l.call, l.model, e.Finish)
	last["content"], last["tokens"] = "", []int{}
	llamaCounts(last, &l.spent, e.Usage)
	raw, err := json.Marshal(last)
	if err != nil {
		raw = []byte(`{"error":{"message":"answer"}}`) // texts and numbers always marshal
	}
	out("", KindFinish, 0, raw)
}

func (l *llamaEvents) Fail(out Emit) {
	out("", KindError, 0, []byte(`{"error":{"code":500,"message":"`+errTold.Error()+`","type":"server_error"}}`))
}

// Done: the event that stops is the last, and so is an error.
func (l *llamaEvents) Done(Emit, func()) {}

// stopTypes are llama.cpp's words for OpenAI's.
var stopTypes = map[string]string{"stop": "eos", "length": "limit"}

func llamaLast(c *Call, model, finish string) map[string]any {
	return map[string]any{
		"index": 0, "id_slot": 0, "stop": true, "model": model, "prompt": c.own.(*llamaAsked).prompt,
		"generation_settings": map[string]any{"n_predict": c.MaxTokens, "ignore_eos": c.IgnoreEOS, "stream": c.Stream, "stop": []string{}, "samplers": []string{"top_k", "temperature"}},
		"has_new_line":        false, "truncated": false, "stop_type": stopTypes[finish], "stopping_word": "",
	}
}

// llamaCounts adds what the server counted. tokens_cached is what lies in the slot now, and not a hit.
func llamaCounts(last map[string]any, s *spent, u *Usage) {
	if u == nil {
		return
	}
	last["tokens_predicted"], last["tokens_evaluated"], last["tokens_cached"] = u.Completion, u.Prompt, u.Prompt+u.Completion-1
	last["timings"] = llamaTimings(s, u)
}

func llamaTimings(s *spent, u *Usage) map[string]any {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return map[string]any{
		"cache_n": u.Cached, "prompt_n": u.Prompt - u.Cached, "prompt_ms": ms(s.prompt()),
		"predicted_n": u.Completion, "predicted_ms": ms(s.output()),
	}
}

// llamaWhole is an answer in one object: the last event's, with all of the text.
func llamaWhole(c *Call, a *Result) any {
	out := llamaLast(c, a.Model, a.Finish)
	out["content"], out["tokens"] = a.Answer.Text(0, a.Usage.Completion), []int32{}
	if c.own.(*llamaAsked).tokens {
		out["tokens"] = a.Answer.IDs(0, a.Usage.Completion)
	}
	if !a.NoUsage {
		spent := spent{begin: a.Received, first: a.FirstToken, last: clock.Now()}
		llamaCounts(out, &spent, &a.Usage)
	}
	return out
}
