package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Triton's generate extension with the models of the TensorRT-LLM backend: text in, and
// a response of the model an event. Written from Triton's "Generate Extension" and from
// the configuration of the backend's models.
var tritonGenerate = &Dialect{
	Paths: []string{"/v2/models/{model}/generate_stream", "/v2/models/{model}/versions/{version}/generate_stream"},
	Read:  readTriton, Write: newGenerated, failure: tritonFailure, NoFinish: true,
}

// The models of the backend that take text; the sim has them beside its own.
const (
	tritonEnsemble = "ensemble"
	tritonBLS      = "tensorrt_llm_bls"
)

// tritonModel is the name of the model in the URL as the rest of the sim knows it: the
// backend's own names stand for the sim's model.
func tritonModel(r *http.Request) (shown, model string) {
	shown = r.PathValue("model")
	if slices.Contains([]string{tritonEnsemble, tritonBLS}, shown) {
		return shown, ""
	}
	return shown, shown
}

func tritonFailure(_ int, err error) any {
	return map[string]string{"error": strings.TrimPrefix(err.Error(), ErrNoModel.Error()+": ")}
}

// triton is what the answer to a call of Triton's depends on.
type triton struct {
	model       string
	id          string
	accumulate  bool // each event has all of the text so far
	inputCount  bool // num_input_tokens was asked for
	outputCount bool
}

// tritonBody are the inputs of the models ensemble and tensorrt_llm_bls. Names that are
// no inputs are parameters, which the models do not look at.
type tritonBody struct {
	ID          string          `json:"id"`
	Text        json.RawMessage `json:"text_input"`
	MaxTokens   *int            `json:"max_tokens"`
	MinTokens   int             `json:"min_tokens"`
	EndID       *int            `json:"end_id"`
	Stream      bool            `json:"stream"`
	InputCount  bool            `json:"return_num_input_tokens"`
	OutputCount bool            `json:"return_num_output_tokens"`
	Accumulate  bool            `json:"accumulate_tokens"`
}

func readTriton(m *Model, r *http.Request, raw []byte) (*Call, error) {
	var b tritonBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("failed to parse the request JSON buffer: %w", err)
	}
	if !b.Stream {
		return nil, errors.New("this server gives several responses only: ask for \"stream\": true")
	}
	var text string
	if list := []string(nil); json.Unmarshal(b.Text, &text) != nil && (json.Unmarshal(b.Text, &list) != nil || len(list) != 1) {
		return nil, errors.New("expected input 'text_input' of the type string")
	} else if list != nil {
		text = list[0]
	}
	c, err := tritonCall(m, r, text, b.MaxTokens, b.MinTokens, b.EndID)
	if err != nil {
		return nil, err
	}
	c.Stream, c.UsageAlways = true, b.InputCount || b.OutputCount
	c.triton.id, c.triton.inputCount, c.triton.outputCount = b.ID, b.InputCount, b.OutputCount
	c.triton.accumulate = b.Accumulate && c.triton.model == tritonBLS
	return c, nil
}

// tritonCall is what both of Triton's ways to ask have in common.
func tritonCall(m *Model, r *http.Request, text string, maxTokens *int, minTokens int, endID *int) (*Call, error) {
	if maxTokens == nil || *maxTokens < 1 {
		return nil, errors.New("max_tokens must be a single value > 0")
	}
	shown, model := tritonModel(r)
	c := &Call{Model: model, MaxTokens: *maxTokens, Logprobs: -1, triton: &triton{model: shown}}
	// A token that ends the answer is not drawn before the least length, nor is one that
	// no token is.
	c.IgnoreEOS = minTokens >= *maxTokens
	if endID != nil && !c.IgnoreEOS {
		_, err := m.Tokenizer.Decode([]int32{int32(*endID)})
		c.IgnoreEOS = err != nil
	}
	var err error
	c.Prompt, err = m.Tokenizer.Encode(text)
	return c, err
}

// generated writes the responses of a model as events.
type generated struct {
	call   *Call
	answer vocab.Answer
	json   []byte
}

func newGenerated(c *Call, a vocab.Answer, _, _ string, _ time.Time) Writer {
	return &generated{call: c, answer: a}
}

func (g *generated) Event(e Event, out Emit) {
	t := g.call.triton
	b := append(g.json[:0], `{"context_logits":0.0,"cum_log_probs":0.0,"generation_logits":0.0,`...)
	if t.id != "" {
		b = append(append(append(b, `"id":"`...), vocab.JSONText(t.id)...), `",`...)
	}
	b = append(append(append(b, `"model_name":"`...), vocab.JSONText(t.model)...), `","model_version":"1",`...)
	kind := e.Kind
	if kind == KindFinish { // an empty response, which says no more than that it is one
		kind = KindFrame
	}
	if e.Usage != nil && t.inputCount {
		b = strconv.AppendInt(append(b, `"num_input_tokens":`...), int64(e.Usage.Prompt), 10)
		b = append(b, ',')
	}
	if e.Usage != nil && t.outputCount { // of this response
		b = strconv.AppendInt(append(b, `"num_output_tokens":`...), int64(e.To-e.From), 10)
		b = append(b, ',')
	}
	if e.Usage != nil && kind == KindFrame {
		kind = KindUsage
	}
	b = append(b, `"output_log_probs":[0.0,0.0],"sequence_end":false,"sequence_id":0,"sequence_start":false,"text_output":"`...)
	from := e.From
	if t.accumulate {
		from = 0
	}
	b = g.answer.AppendJSON(b, from, e.To)
	g.json = append(b, `"}`...)
	out("", kind, e.To-e.From, g.json)
}

func (g *generated) Fail(out Emit) { out("", KindError, 0, []byte(`{"error":"`+errTold.Error()+`"}`)) }

func (g *generated) Done(Emit, func()) {} // the body ends, and that is all
