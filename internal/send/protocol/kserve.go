package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

// openInference is the Open Inference Protocol, version 2, over HTTP. It has no streams,
// and no names of tensors: they are those of Triton's models that take text.
var openInference = &Backend{
	Name: "kserve", Doc: "Open Inference (KServe V2) over HTTP", Framing: stream.Whole,
	Lacks: Lacks{TokenIDs: true, Usage: true}, Sampling: tritonSampling, Protocol: infer,
}

// infer: an answer is one object, whose outputs are tensors, of which each has its name.
var infer = &described{
	path: "/v2/models/" + ModelInPath + "/infer", suffix: "/infer", body: inferBody,
	event: shape{
		{name: "id", take: takeID},
		{name: "error", take: takeError},
		{name: "outputs", take: func(d *decoder, c *stream.Chunk) { d.scan.Elements(func(int) { d.takeTensor(c) }) }},
	}.reader(),
	meaning: func(_ *decoder, _ []byte, c *stream.Chunk) { c.Kind |= stream.EventChoices },
}

// tensor is an input of one value.
type tensor struct {
	Name  string            `json:"name"`
	Shape [2]int            `json:"shape"`
	Type  string            `json:"datatype"`
	Data  []json.RawMessage `json:"data"`
}

// inferFields are what a request has beside its inputs: all else that the user gives is
// an input of that name.
var inferFields = []string{"id", "inputs", "outputs", "parameters"}

// tensors are inputs by their names, in order. One that is set again is in it once.
type tensors []tensor

func (l *tensors) set(name, kind string, value any) error {
	raw, err := marshal(value)
	if err != nil {
		return fmt.Errorf("encode the input %q: %w", name, err)
	}
	t := tensor{Name: name, Shape: [2]int{1, 1}, Type: kind, Data: []json.RawMessage{raw}}
	if i := slices.IndexFunc(*l, func(t tensor) bool { return t.Name == name }); i >= 0 {
		(*l)[i] = t
	} else {
		*l = append(*l, t)
	}
	return nil
}

// setField sets an input that a flag or the user gives. Its type is that of the value.
func (l *tensors) setField(f Field) error {
	kind, value := "", bytes.TrimSpace(f.Value)
	switch {
	case len(value) == 0:
	case value[0] == '"':
		kind = "BYTES"
	case string(value) == "true" || string(value) == "false":
		kind = "BOOL"
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		if kind = "INT32"; f.Sampling && f.Name != "top_k" || bytes.ContainsAny(value, ".eE") {
			kind = "FP32"
		}
	}
	if kind == "" {
		return fmt.Errorf("the field %s can't be an input: give a number, a text, true or false, or all of \"inputs\"", f.Name)
	}
	return l.set(f.Name, kind, f.Value)
}

func inferBody(c *Call) (*body, error) {
	if !c.isText() || c.TokenIDs {
		return nil, errTextOnly
	}
	var list tensors
	err := errors.Join(list.set("text_input", "BYTES", c.Prompt), list.set("max_tokens", "INT32", c.MaxTokens))
	if c.IgnoreEOS {
		err = errors.Join(err, list.set("min_tokens", "INT32", c.MaxTokens))
	}
	var b body
	b.Set("inputs", nil) // it comes first
	for _, f := range c.Extra {
		if !f.Sampling && slices.Contains(inferFields, f.Name) {
			b.Set(f.Name, f.Value)
		} else {
			err = errors.Join(err, list.setField(f))
		}
	}
	if b.Get("inputs") == nil {
		b.Set("inputs", list)
	}
	return &b, err
}

// maxTensorRank is how deeply the values of a tensor may be nested.
const maxTensorRank = 8

var tensorFields = shape{
	{name: "name", take: func(d *decoder, _ *stream.Chunk) { d.note().kind = d.scan.Text() }},
	{name: "data", take: func(d *decoder, _ *stream.Chunk) { d.note().input = d.scan.Value() }},
}.reader()

// outputs are the tensors that are looked at.
var outputs = shape{
	{name: "text_output", take: takeText},
	{name: "num_input_tokens", take: takePrompt},
	{name: "num_output_tokens", take: takeOutput},
}.reader()

// takeTensor takes one tensor. Its name may stand behind its data.
func (d *decoder) takeTensor(c *stream.Chunk) {
	f := d.note()
	f.kind, f.input = nil, nil
	d.read(tensorFields, c)
	value := bytes.TrimSpace(f.input)
	for range maxTensorRank { // the first value: the lists may be nested as the shape is, or flat
		value = bytes.TrimSpace(bytes.TrimPrefix(value, []byte("[")))
	}
	if d.scan.Err != nil || len(value) == 0 || value[0] == ']' || value[0] == '[' {
		return
	}
	if output := outputs.find(f.kind); output != nil {
		d.field = output
		d.scan.Within(value, func() { output.take(d, c) })
	}
}
