package dialect

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
var tgi = &Dialect{
	Paths: []string{"/generate_stream"}, Read: readTGI, Write: newTGI, Whole: tgiWhole, failure: tgiFailure,
	Framing: FrameNoSpace, UsageWithFinish: true, EndToken: true,
}

// tgiDefault is what a router took without max_new_tokens for a long time.
const tgiDefault = 100

// endText is the text of the token that ends an answer.
const endText = "</s>"

func readTGI(m *Model, r *http.Request, raw []byte) (*Call, error) {
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
	c := &Call{Stream: r.URL.Path != pathGenerate, Logprobs: -1, MaxTokens: tgiDefault, details: p.Details}
	if p.MaxNewTokens != nil {
		c.MaxTokens = *p.MaxNewTokens
	}
	var err error
	c.Prompt, err = m.Tokenizer.Encode(b.Inputs)
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
	call   *Call
	answer vocab.Answer
	index  int
	text   []byte // the text so far, as it stands in JSON
	json   []byte
}

func newTGI(c *Call, a vocab.Answer, _, _ string, _ time.Time) Writer {
	return &tgiWriter{call: c, answer: a}
}

// Event implements Writer: a message for each token.
func (w *tgiWriter) Event(e Event, out Emit) {
	ended := e.Finish == "stop" // its last token is the one that says so
	if e.From == e.To {
		w.token(nil, e, out)
		return
	}
	for i := e.From; i < e.To; i++ {
		one := Event{Kind: e.Kind, From: i, To: i + 1}
		if i+1 == e.To {
			one.Finish, one.Usage = e.Finish, e.Usage
		}
		p := w.answer.Piece(i)
		if ended && i+1 == e.To {
			p, one.Kind = nil, KindFinish
		}
		w.token(p, one, out)
	}
}

// token writes one; without a piece it is the token that ends the answer.
func (w *tgiWriter) token(p *vocab.Piece, e Event, out Emit) {
	w.index++
	b := strconv.AppendInt(append(w.json[:0], `{"index":`...), int64(w.index), 10)
	if p == nil {
		b = append(b, `,"token":{"id":2,"text":"`+endText+`","logprob":-0.25,"special":true}`...)
	} else {
		w.text = append(w.text, p.JSON...)
		b = strconv.AppendInt(append(b, `,"token":{"id":`...), int64(p.ID), 10)
		b = append(append(b, `,"text":"`...), p.JSON...)
		b = append(strconv.AppendFloat(append(b, `","logprob":`...), w.answer.Logprob(e.From), 'g', -1, 64), `,"special":false}`...)
	}
	if e.Finish == "" {
		b = append(b, `,"generated_text":null,"details":null}`...)
	} else {
		b = append(append(append(b, `,"generated_text":"`...), w.text...), `","details":`...)
		b = append(w.appendDetails(b, e), '}')
	}
	w.json = b
	out("", e.Kind, e.To-e.From, b)
}

// appendDetails writes the last event's details, if they were asked for.
func (w *tgiWriter) appendDetails(b []byte, e Event) []byte {
	if !w.call.details {
		return append(b, "null"...)
	}
	b = append(append(append(b, `{"finish_reason":"`...), tgiFinish(e.Finish)...), '"')
	if e.Usage != nil {
		b = strconv.AppendInt(append(b, `,"generated_tokens":`...), int64(e.Usage.Completion), 10)
		b = strconv.AppendInt(append(b, `,"input_length":`...), int64(e.Usage.Prompt), 10)
	}
	return append(b, `,"seed":null}`...)
}

func tgiFinish(finish string) string {
	if finish == "stop" {
		return "eos_token"
	}
	return finish
}

func (w *tgiWriter) Fail(out Emit) {
	out("", KindError, 0, []byte(`{"error":"Request failed during generation: `+errTold.Error()+`","error_type":"generation"}`))
}

func (w *tgiWriter) Done(Emit, func()) {} // the last token's event was the end

// tgiWhole is an answer in one piece.
func tgiWhole(c *Call, a *Result) any {
	n := a.Usage.Completion
	visible := a.Visible
	out := map[string]any{"generated_text": a.Answer.Text(0, visible)}
	if !c.details {
		return out
	}
	tokens := []any{}
	for i := range n {
		t := map[string]any{"id": a.Answer.Piece(i).ID, "text": a.Answer.Piece(i).Text, "logprob": a.Answer.Logprob(i), "special": false}
		if i >= visible {
			t = map[string]any{"id": 2, "text": endText, "logprob": -0.25, "special": true}
		}
		tokens = append(tokens, t)
	}
	details := map[string]any{"finish_reason": tgiFinish(a.Finish), "seed": nil, "prefill": []any{}, "tokens": tokens}
	if !a.NoUsage {
		details["generated_tokens"] = n
	}
	out["details"] = details
	return out
}
