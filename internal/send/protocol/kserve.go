package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// openInference is the Open Inference Protocol, version 2, over HTTP. It has no streams,
// and no names of tensors: they are those of Triton's models that take text.
var openInference = &Backend{
	Name: "kserve", Doc: "Open Inference (KServe V2) over HTTP", Framing: Whole,
	Lacks: Lacks{TokenIDs: true, Usage: true}, Sampling: tritonSampling, Protocol: infer{},
}

type infer struct{}

func (infer) Path() string   { return "/v2/models/" + ModelInPath + "/infer" }
func (infer) Suffix() string { return "/infer" }

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

func (infer) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if err := c.onlyText(); err != nil {
		return nil, err
	}
	var list tensors
	err := errors.Join(list.set("text_input", "BYTES", c.Prompt), list.set("max_tokens", "INT32", c.MaxTokens))
	if c.IgnoreEOS {
		err = errors.Join(err, list.set("min_tokens", "INT32", c.MaxTokens))
	}
	var own []Field
	for _, f := range c.Extra {
		if !f.Sampling && slices.Contains(inferFields, f.Name) {
			own = append(own, f)
		} else {
			err = errors.Join(err, list.setField(f))
		}
	}
	if err != nil {
		return nil, err
	}
	var b body
	if err := errors.Join(b.set("inputs", list), b.setExtra(&Call{Extra: own})); err != nil {
		return nil, err
	}
	return b.append(dst)
}

// Decode reads an answer. Its outputs are tensors, of which each has its name.
func (infer) Decode(d *Decoder, data []byte, c *Chunk) error {
	*c = Chunk{Tokens: -1}
	s := &d.scan
	s.reset(data)
	s.object(func(name []byte) {
		switch string(name) {
		case "id":
			c.ID = s.string()
		case "error":
			c.Error = d.errorWords()
		case "outputs":
			if s.next() != '[' {
				s.skip()
				return
			}
			s.array(func(int) { d.output(c) })
		default:
			s.skip()
		}
	})
	s.end()
	if s.err != nil {
		return s.err
	}
	c.Kind |= EventChoices
	return nil
}

// maxTensorRank is how deeply the values of a tensor may be nested.
const maxTensorRank = 8

// output reads one tensor. Its name may stand behind its data.
func (d *Decoder) output(c *Chunk) {
	s := &d.scan
	if s.next() != '{' {
		s.skip()
		return
	}
	var called, values []byte
	s.object(func(name []byte) {
		switch string(name) {
		case "name":
			called = s.string()
		case "data":
			s.next()
			start := s.pos
			s.skip()
			values = s.data[min(start, s.pos):s.pos]
		default:
			s.skip()
		}
	})
	w := &d.words
	w.reset(values)
	for range maxTensorRank { // the first value: the lists may be nested as the shape is, or flat
		if w.next() == '[' {
			w.pos++
		}
	}
	if kind := w.next(); s.err != nil || kind == 0 || kind == ']' || kind == '[' {
		return
	}
	switch string(called) {
	case "text_output":
		if c.Text = w.string(); len(c.Text) > 0 {
			c.Kind |= EventText
		}
	case "num_input_tokens":
		c.Usage.Prompt = w.tokens("num_input_tokens")
	case "num_output_tokens":
		c.Usage.Output = w.tokens("num_output_tokens")
		c.Kind |= EventUsage
	}
	if w.err != nil {
		s.failWith(w.err)
	}
}
