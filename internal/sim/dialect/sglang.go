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

// pathGenerate is a path of two servers: SGLang's, streamed or not, and TGI's for answers
// in one piece. Their bodies tell them apart.
const pathGenerate = "/generate"

// sglang is SGLang's own API. Every event has the counts, and by default all of the text
// so far.
var sglang = &Dialect{Paths: []string{pathGenerate}, Read: readGenerate, Write: newSGLang, Whole: sglangWhole, failure: sglangFailure}

// sglangDefault is what /generate takes without max_new_tokens.
const sglangDefault = 128

// readGenerate reads a request of SGLang, or of TGI.
func readGenerate(m *Model, r *http.Request, raw []byte) (*Call, error) {
	var b struct {
		Text     json.RawMessage `json:"text"`
		InputIDs json.RawMessage `json:"input_ids"`
		Inputs   json.RawMessage `json:"inputs"`
		Stream   bool            `json:"stream"`
		Params   struct {
			MaxNewTokens *int `json:"max_new_tokens"`
			IgnoreEOS    bool `json:"ignore_eos"`
			N            *int `json:"n"`
		} `json:"sampling_params"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	if b.Inputs != nil {
		c, err := readTGI(m, r, raw)
		if err != nil {
			c = &Call{}
		}
		c.Dialect = tgi
		return c, err
	}
	prompt := b.Text
	switch {
	case (b.Text == nil) == (b.InputIDs == nil):
		return nil, Wording("Either text, input_ids or input_embeds should be provided.")
	case b.Text == nil:
		prompt = b.InputIDs
	}
	if b.Params.N != nil && *b.Params.N != 1 {
		return nil, fmt.Errorf("n is %d; this server gives one answer a request", *b.Params.N)
	}
	c := &Call{
		Stream: b.Stream, IgnoreEOS: b.Params.IgnoreEOS, UsageAlways: true, Logprobs: -1, MaxTokens: sglangDefault,
		incremental: m.Framing.Has(FrameIncremental),
	}
	if m := b.Params.MaxNewTokens; m != nil {
		if c.MaxTokens = *m; *m < 1 {
			return nil, Wording(fmt.Sprintf("max_new_tokens must be at least 0, got %d.", *m))
		}
	}
	var err error
	c.Prompt, err = promptTokens(prompt, m.Tokenizer)
	return c, err
}

func sglangFailure(_ int, err error) any {
	return map[string]any{"error": map[string]any{"message": err.Error()}}
}

// sglangWriter writes SGLang's events.
type sglangWriter struct {
	call   *Call
	answer vocab.Answer
	own    bool // --incremental-streaming-output: an event has only its own text
	id     []byte
	begun  time.Time
	from   int    // the first token that an event lists
	text   []byte // the text so far, as it stands in JSON
	json   []byte
}

func newSGLang(c *Call, a vocab.Answer, id, _ string, created time.Time) Writer {
	return &sglangWriter{call: c, answer: a, own: c.incremental, id: vocab.JSONText(id), begun: created}
}

// Event implements Writer.
func (w *sglangWriter) Event(e Event, out Emit) {
	if w.own {
		w.from, w.text = e.From, w.text[:0]
	}
	w.text = w.answer.AppendJSON(w.text, e.From, e.To)
	b := append(append(w.json[:0], `{"text":"`...), w.text...)
	b = append(b, `","output_ids":[`...)
	for i := w.from; i < e.To; i++ {
		b = strconv.AppendInt(Comma(b, i-w.from), int64(w.answer.Piece(i).ID), 10)
	}
	b = append(append(append(b, `],"meta_info":{"id":"`...), w.id...), `","finish_reason":`...)
	b = w.appendFinish(b, e)
	if e.Usage != nil {
		b = strconv.AppendInt(append(b, `,"prompt_tokens":`...), int64(e.Usage.Prompt), 10)
	}
	b = append(b, `,"weight_version":"default","num_retractions":0,"reasoning_tokens":0`...)
	if e.Usage != nil {
		b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(e.Usage.Completion), 10)
		b = strconv.AppendInt(append(b, `,"cached_tokens":`...), int64(e.Usage.Cached), 10)
	}
	if e.Finish != "" {
		b = strconv.AppendFloat(append(b, `,"e2e_latency":`...), clock.Since(w.begun).Seconds(), 'g', -1, 64)
	}
	w.json = append(b, "}}"...)
	out("", e.Kind, e.To-e.From, w.json)
}

// appendFinish writes why the answer ended: an object, or null.
func (w *sglangWriter) appendFinish(b []byte, e Event) []byte {
	switch e.Finish {
	case "":
		return append(b, "null"...)
	case "length":
		return append(strconv.AppendInt(append(b, `{"type":"length","length":`...), int64(w.call.MaxTokens), 10), '}')
	}
	return append(b, `{"type":"stop","matched":2}`...)
}

func (w *sglangWriter) Fail(out Emit) {
	out("", KindError, 0, []byte(`{"error":{"message":"`+errTold.Error()+`","type":"invalid_request_error","code":400,"retryable":false}}`))
}

func (w *sglangWriter) Done(_ Emit, mark func()) {
	if mark != nil {
		mark()
	}
}

// sglangWhole is an answer in one piece.
func sglangWhole(c *Call, a *Result) any {
	n := a.Usage.Completion
	finish := map[string]any{"type": a.Finish, "length": n}
	if a.Finish == "stop" {
		finish = map[string]any{"type": "stop", "matched": 2}
	}
	meta := map[string]any{
		"id": a.ID, "finish_reason": finish, "weight_version": "default", "num_retractions": 0, "reasoning_tokens": 0,
		"e2e_latency": clock.Since(a.Received).Seconds(),
	}
	if !a.NoUsage {
		meta["prompt_tokens"], meta["completion_tokens"], meta["cached_tokens"] = c.PromptTokens(), n, a.Usage.Cached
	}
	return map[string]any{"text": a.Answer.Text(0, n), "output_ids": a.Answer.IDs(0, n), "meta_info": meta}
}
