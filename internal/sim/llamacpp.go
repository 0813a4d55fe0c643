package sim

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// llamaCompletion is llama.cpp's own /completion, from its tools/server/README.md.
var llamaCompletion = &dialect{
	paths: []string{"/completion"}, read: readLlama, write: newLlama, whole: llamaWhole, failure: llamaFailure,
	ownFinish: true, usageWithFinish: true,
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

func readLlama(m *model, _ *http.Request, raw []byte) (*call, error) {
	var b llamaBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err
	}
	c := &call{stream: b.Stream, ignoreEOS: b.IgnoreEOS, usageAlways: true, logprobs: -1}
	var err error
	if c.prompt, err = promptTokens(b.Prompt, m.tokenizer); err != nil {
		return nil, err
	}
	if len(c.prompt) >= m.maxLen {
		return nil, errTooLong
	}
	text, err := m.tokenizer.Decode(c.prompt)
	if err != nil {
		return nil, err
	}
	c.own = &llamaAsked{prompt: text, tokens: b.ReturnTokens, progress: b.ReturnProgress, timings: b.TimingsPerToken}
	c.maxTokens = m.defaultMaxTokens
	for _, n := range []*int{b.MaxTokens, b.MaxCompletionTokens, b.NPredict} {
		if n != nil && *n >= 0 {
			c.maxTokens = max(*n, 1) // it makes a token before it looks
		}
	}
	c.maxTokens = min(c.maxTokens, m.maxLen-len(c.prompt)) // there it ends with "limit"
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
	call   *call
	asked  *llamaAsked
	answer vocab.Answer
	model  string
	spent  spent
	json   []byte
}

func newLlama(c *call, a vocab.Answer, _, model string, created time.Time) writer {
	return &llamaEvents{call: c, asked: c.own.(*llamaAsked), answer: a, model: model, spent: spent{begin: created}}
}

func (l *llamaEvents) event(e event, out emit) {
	first := l.spent.first.IsZero()
	if e.to > e.from {
		l.spent.token(time.Now())
	}
	if e.kind == KindFinish {
		l.finish(e, out)
		return
	}
	if first && l.asked.progress && e.usage != nil {
		l.progress(e.usage, e.usage.Cached, out)
		l.progress(e.usage, e.usage.Prompt, out)
	}
	b := append(l.json[:0], `{"index":0,"content":"`...)
	for i := e.from; i < e.to; i++ {
		b = append(b, l.answer.Piece(i).JSON...)
	}
	b = append(b, `","tokens":[`...)
	for i := e.from; i < e.to; i++ {
		b = strconv.AppendInt(comma(b, i-e.from), int64(l.answer.Piece(i).ID), 10)
	}
	b = l.counts(append(b, `],"stop":false,"id_slot":-1`...), e.usage)
	if l.asked.timings && e.usage != nil {
		b = l.timings(b, e.usage)
	}
	l.json = append(b, '}')
	out("", e.kind, e.to-e.from, l.json)
}

// progress says how far the prompt is. Its token 0 is none: llama.cpp 0.5 sends it.
func (l *llamaEvents) progress(u *usage, processed int, out emit) {
	none := usage{Prompt: u.Prompt}
	b := l.counts(append(l.json[:0], `{"index":0,"content":"","tokens":[0],"stop":false,"id_slot":-1`...), &none)
	b = strconv.AppendInt(append(b, `,"prompt_progress":{"total":`...), int64(u.Prompt), 10)
	b = strconv.AppendInt(append(b, `,"cache":`...), int64(u.Cached), 10)
	b = strconv.AppendInt(append(b, `,"processed":`...), int64(processed), 10)
	b = strconv.AppendInt(append(b, `,"time_ms":`...), l.spent.prompt().Milliseconds(), 10)
	l.json = append(b, "}}"...)
	out("", KindFrame, 0, l.json)
}

func (l *llamaEvents) counts(b []byte, u *usage) []byte {
	if u == nil {
		return b
	}
	b = strconv.AppendInt(append(b, `,"tokens_predicted":`...), int64(u.Completion), 10)
	return strconv.AppendInt(append(b, `,"tokens_evaluated":`...), int64(u.Prompt), 10)
}

func (l *llamaEvents) timings(b []byte, u *usage) []byte {
	raw, err := json.Marshal(llamaTimings(&l.spent, u))
	if err != nil {
		return b // numbers always marshal
	}
	return append(append(b, `,"timings":`...), raw...)
}

// finish is the last event: it has no text, and repeats the prompt and the settings.
func (l *llamaEvents) finish(e event, out emit) {
	last := llamaLast(l.call, l.model, e.finish)
	last["content"], last["tokens"] = "", []int{}
	llamaCounts(last, &l.spent, e.usage)
	raw, err := json.Marshal(last)
	if err != nil {
		raw = []byte(`{"error":{"message":"answer"}}`) // texts and numbers always marshal
	}
	out("", KindFinish, 0, raw)
}

func (l *llamaEvents) fail(out emit) {
	out("", KindError, 0, []byte(`{"error":{"code":500,"message":"`+errTold.Error()+`","type":"server_error"}}`))
}

// done: the event that stops is the last, and so is an error.
func (l *llamaEvents) done(emit, func()) {}

// stopTypes are llama.cpp's words for OpenAI's.
var stopTypes = map[string]string{"stop": "eos", "length": "limit"}

func llamaLast(c *call, model, finish string) map[string]any {
	return map[string]any{
		"index": 0, "id_slot": 0, "stop": true, "model": model, "prompt": c.own.(*llamaAsked).prompt,
		"generation_settings": map[string]any{"n_predict": c.maxTokens, "ignore_eos": c.ignoreEOS, "stream": c.stream, "stop": []string{}, "samplers": []string{"top_k", "temperature"}},
		"has_new_line":        false, "truncated": false, "stop_type": stopTypes[finish], "stopping_word": "",
	}
}

// llamaCounts adds what the server counted. tokens_cached is what lies in the slot now, and not a hit.
func llamaCounts(last map[string]any, s *spent, u *usage) {
	if u == nil {
		return
	}
	last["tokens_predicted"], last["tokens_evaluated"], last["tokens_cached"] = u.Completion, u.Prompt, u.Prompt+u.Completion-1
	last["timings"] = llamaTimings(s, u)
}

func llamaTimings(s *spent, u *usage) map[string]any {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return map[string]any{
		"cache_n": u.Cached, "prompt_n": u.Prompt - u.Cached, "prompt_ms": ms(s.prompt()),
		"predicted_n": u.Completion, "predicted_ms": ms(s.output()),
	}
}

// llamaWhole is an answer in one object: the last event's, with all of the text.
func llamaWhole(c *call, a *result) any {
	out := llamaLast(c, a.model, a.finish)
	out["content"], out["tokens"] = a.answer.Text(0, a.usage.Completion), []int32{}
	if c.own.(*llamaAsked).tokens {
		out["tokens"] = a.answer.IDs(0, a.usage.Completion)
	}
	if !a.noUsage {
		spent := spent{begin: a.received, first: a.firstToken, last: time.Now()}
		llamaCounts(out, &spent, &a.usage)
	}
	return out
}
