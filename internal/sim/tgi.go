package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// tgi is the own API of Hugging Face's text-generation-inference. An event is a token;
// the one that ends an answer by itself is an event too, with a text that is none.
var tgi = &dialect{
	paths: []string{"/generate_stream"}, read: readTGI, write: newTGI, whole: tgiWhole, failure: tgiFailure,
	framing: FrameNoSpace, usageWithFinish: true, endToken: true,
}

// tgiDefault is what a router took without max_new_tokens for a long time.
const tgiDefault = 100

// endText is the text of the token that ends an answer.
const endText = "</s>"

func readTGI(m *model, r *http.Request, raw []byte) (*call, error) {
	var b struct {
		Inputs string `json:"inputs"`
		Params struct {
			MaxNewTokens *int     `json:"max_new_tokens"`
			Details      bool     `json:"details"`
			Temperature  *float64 `json:"temperature"`
			TopP         *float64 `json:"top_p"`
			TopK         *int     `json:"top_k"`
			BestOf       *int     `json:"best_of"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("the body is not the JSON of a request: %w", err)
	}
	p := &b.Params
	switch {
	case b.Inputs == "":
		return nil, invalid("`inputs` cannot be empty")
	case p.Temperature != nil && *p.Temperature <= 0:
		return nil, invalid("`temperature` must be strictly positive")
	case p.TopP != nil && (*p.TopP <= 0 || *p.TopP >= 1):
		return nil, invalid("`top_p` must be > 0.0 and < 1.0")
	case p.TopK != nil && *p.TopK <= 0:
		return nil, invalid("`top_k` must be strictly positive")
	case p.MaxNewTokens != nil && *p.MaxNewTokens < 1:
		return nil, invalid("`max_new_tokens` must be strictly positive")
	case p.BestOf != nil && *p.BestOf != 1:
		return nil, invalid("`best_of` != 1 is not supported when streaming tokens")
	}
	c := &call{stream: r.URL.Path != pathGenerate, logprobs: -1, maxTokens: tgiDefault, details: p.Details}
	if p.MaxNewTokens != nil {
		c.maxTokens = *p.MaxNewTokens
	}
	var err error
	c.prompt, err = m.tokenizer.Encode(b.Inputs)
	return c, err
}

// invalid is a request that TGI's validation turns away, with 422.
type invalid string

func (e invalid) Error() string { return "Input validation error: " + string(e) }

func tgiFailure(status int, err error) any {
	kind := "generation"
	switch status {
	case http.StatusTooManyRequests:
		kind = "overloaded"
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		kind = "validation"
	case http.StatusInternalServerError:
		kind = "incomplete_generation"
	}
	return map[string]string{"error": err.Error(), "error_type": kind}
}

// tgiWriter writes TGI's events.
type tgiWriter struct {
	call   *call
	answer vocab.Answer
	index  int
	text   []byte // the text so far, as it stands in JSON
	json   []byte
}

func newTGI(c *call, a vocab.Answer, _, _ string, _ time.Time) writer {
	return &tgiWriter{call: c, answer: a}
}

// event implements writer: a message for each token.
func (w *tgiWriter) event(e event, out emit) {
	ended := e.finish == "stop" // its last token is the one that says so
	if e.from == e.to {
		w.token(nil, e, out)
		return
	}
	for i := e.from; i < e.to; i++ {
		one := event{kind: e.kind, from: i, to: i + 1}
		if i+1 == e.to {
			one.finish, one.usage = e.finish, e.usage
		}
		p := w.answer.Piece(i)
		if ended && i+1 == e.to {
			p, one.kind = nil, KindFinish
		}
		w.token(p, one, out)
	}
}

// token writes one; without a piece it is the token that ends the answer.
func (w *tgiWriter) token(p *vocab.Piece, e event, out emit) {
	w.index++
	b := strconv.AppendInt(append(w.json[:0], `{"index":`...), int64(w.index), 10)
	if p == nil {
		b = append(b, `,"token":{"id":2,"text":"`+endText+`","logprob":-0.25,"special":true}`...)
	} else {
		w.text = append(w.text, p.JSON...)
		b = strconv.AppendInt(append(b, `,"token":{"id":`...), int64(p.ID), 10)
		b = append(append(b, `,"text":"`...), p.JSON...)
		b = append(strconv.AppendFloat(append(b, `","logprob":`...), w.answer.Logprob(e.from), 'g', -1, 64), `,"special":false}`...)
	}
	if e.finish == "" {
		b = append(b, `,"generated_text":null,"details":null}`...)
	} else {
		b = append(append(append(b, `,"generated_text":"`...), w.text...), `","details":`...)
		b = append(w.appendDetails(b, e), '}')
	}
	w.json = b
	out("", e.kind, e.to-e.from, b)
}

// appendDetails writes the last event's details, if they were asked for.
func (w *tgiWriter) appendDetails(b []byte, e event) []byte {
	if !w.call.details {
		return append(b, "null"...)
	}
	b = append(append(append(b, `{"finish_reason":"`...), tgiFinish(e.finish)...), '"')
	if e.usage != nil {
		b = strconv.AppendInt(append(b, `,"generated_tokens":`...), int64(e.usage.Completion), 10)
		b = strconv.AppendInt(append(b, `,"input_length":`...), int64(e.usage.Prompt), 10)
	}
	return append(b, `,"seed":null}`...)
}

func tgiFinish(finish string) string {
	if finish == "stop" {
		return "eos_token"
	}
	return finish
}

func (w *tgiWriter) fail(out emit) {
	out("", KindError, 0, []byte(`{"error":"Request failed during generation: `+errTold.Error()+`","error_type":"generation"}`))
}

func (w *tgiWriter) done(emit, func()) {} // the last token's event was the end

// tgiWhole is an answer in one piece.
func tgiWhole(c *call, a *result) any {
	n := a.usage.Completion
	visible := a.visible
	out := map[string]any{"generated_text": a.answer.Text(0, visible)}
	if !c.details {
		return out
	}
	tokens := []any{}
	for i := range n {
		t := map[string]any{"id": a.answer.Piece(i).ID, "text": a.answer.Piece(i).Text, "logprob": a.answer.Logprob(i), "special": false}
		if i >= visible {
			t = map[string]any{"id": 2, "text": endText, "logprob": -0.25, "special": true}
		}
		tokens = append(tokens, t)
	}
	details := map[string]any{"finish_reason": tgiFinish(a.finish), "seed": nil, "prefill": []any{}, "tokens": tokens}
	if !a.noUsage {
		details["generated_tokens"] = n
	}
	out["details"] = details
	return out
}
