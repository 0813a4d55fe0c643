package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// pathGenerate is a path of two servers: SGLang's, streamed or not, and TGI's for answers
// in one piece. Their bodies tell them apart.
const pathGenerate = "/generate"

// sglang is SGLang's own API. Every event has the counts, and by default all of the text
// so far.
var sglang = &dialect{paths: []string{pathGenerate}, read: readGenerate, write: newSGLang, whole: sglangWhole, failure: sglangFailure}

// sglangDefault is what /generate takes without max_new_tokens.
const sglangDefault = 128

// readGenerate reads a request of SGLang, or of TGI.
func readGenerate(m *model, r *http.Request, raw []byte) (*call, error) {
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
			c = &call{}
		}
		c.dialect = tgi
		return c, err
	}
	prompt := b.Text
	switch {
	case (b.Text == nil) == (b.InputIDs == nil):
		return nil, wording("Either text, input_ids or input_embeds should be provided.")
	case b.Text == nil:
		prompt = b.InputIDs
	}
	if b.Params.N != nil && *b.Params.N != 1 {
		return nil, fmt.Errorf("n is %d; this server gives one answer a request", *b.Params.N)
	}
	c := &call{
		stream: b.Stream, ignoreEOS: b.Params.IgnoreEOS, usageAlways: true, logprobs: -1, maxTokens: sglangDefault,
		incremental: m.framing.has(FrameIncremental),
	}
	if m := b.Params.MaxNewTokens; m != nil {
		if c.maxTokens = *m; *m < 1 {
			return nil, wording(fmt.Sprintf("max_new_tokens must be at least 0, got %d.", *m))
		}
	}
	var err error
	c.prompt, err = promptTokens(prompt, m.tokenizer)
	return c, err
}

func sglangFailure(_ int, err error) any {
	return map[string]any{"error": map[string]any{"message": err.Error()}}
}

// sglangWriter writes SGLang's events.
type sglangWriter struct {
	call   *call
	answer vocab.Answer
	own    bool // --incremental-streaming-output: an event has only its own text
	id     []byte
	begun  time.Time
	from   int    // the first token that an event lists
	text   []byte // the text so far, as it stands in JSON
	json   []byte
}

func newSGLang(c *call, a vocab.Answer, id, _ string, created time.Time) writer {
	return &sglangWriter{call: c, answer: a, own: c.incremental, id: vocab.JSONText(id), begun: created}
}

// event implements writer.
func (w *sglangWriter) event(e event, out emit) {
	if w.own {
		w.from, w.text = e.from, w.text[:0]
	}
	for i := e.from; i < e.to; i++ {
		w.text = append(w.text, w.answer.Piece(i).JSON...)
	}
	b := append(append(w.json[:0], `{"text":"`...), w.text...)
	b = append(b, `","output_ids":[`...)
	for i := w.from; i < e.to; i++ {
		b = strconv.AppendInt(comma(b, i-w.from), int64(w.answer.Piece(i).ID), 10)
	}
	b = append(append(append(b, `],"meta_info":{"id":"`...), w.id...), `","finish_reason":`...)
	b = w.appendFinish(b, e)
	if e.usage != nil {
		b = strconv.AppendInt(append(b, `,"prompt_tokens":`...), int64(e.usage.Prompt), 10)
	}
	b = append(b, `,"weight_version":"default","num_retractions":0,"reasoning_tokens":0`...)
	if e.usage != nil {
		b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(e.usage.Completion), 10)
		b = strconv.AppendInt(append(b, `,"cached_tokens":`...), int64(e.usage.Cached), 10)
	}
	if e.finish != "" {
		b = strconv.AppendFloat(append(b, `,"e2e_latency":`...), time.Since(w.begun).Seconds(), 'g', -1, 64)
	}
	w.json = append(b, "}}"...)
	out("", e.kind, e.to-e.from, w.json)
}

// appendFinish writes why the answer ended: an object, or null.
func (w *sglangWriter) appendFinish(b []byte, e event) []byte {
	switch e.finish {
	case "":
		return append(b, "null"...)
	case "length":
		return append(strconv.AppendInt(append(b, `{"type":"length","length":`...), int64(w.call.maxTokens), 10), '}')
	}
	return append(b, `{"type":"stop","matched":2}`...)
}

func (w *sglangWriter) fail(out emit) {
	out("", KindError, 0, []byte(`{"error":{"message":"`+errTold.Error()+`","type":"invalid_request_error","code":400,"retryable":false}}`))
}

func (w *sglangWriter) done(_ emit, mark func()) {
	if mark != nil {
		mark()
	}
}

// sglangWhole is an answer in one piece.
func sglangWhole(c *call, a *result) any {
	n := a.usage.Completion
	finish := map[string]any{"type": a.finish, "length": n}
	if a.finish == "stop" {
		finish = map[string]any{"type": "stop", "matched": 2}
	}
	meta := map[string]any{
		"id": a.id, "finish_reason": finish, "weight_version": "default", "num_retractions": 0, "reasoning_tokens": 0,
		"e2e_latency": time.Since(a.received).Seconds(),
	}
	if !a.noUsage {
		meta["prompt_tokens"], meta["completion_tokens"], meta["cached_tokens"] = len(c.prompt), n, a.usage.Cached
	}
	return map[string]any{"text": a.answer.Text(0, n), "output_ids": a.answer.IDs(0, n), "meta_info": meta}
}
