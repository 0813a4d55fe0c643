package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// The Open Inference Protocol, version 2, over HTTP (KServe's and Triton's), with the
// tensors of a model that takes text. Written from the protocol's specification.
var openInference = &Dialect{
	Paths: []string{"/v2/models/{model}/infer", "/v2/models/{model}/versions/{version}/infer"},
	Read:  readInfer, Whole: inferWhole, failure: tritonFailure, NoFinish: true,
}

// tensor is an input or an output with its values as JSON.
type tensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Type  string `json:"datatype"`
	Data  any    `json:"data"`
}

// inferInputs are the types of the model's inputs.
var inferInputs = map[string]string{
	"text_input": "BYTES", "max_tokens": "INT32", "min_tokens": "INT32", "end_id": "INT32", "stream": "BOOL",
	"temperature": "FP32", "top_p": "FP32", "top_k": "INT32", "seed": "UINT64",
	"repetition_penalty": "FP32", "presence_penalty": "FP32", "frequency_penalty": "FP32",
	"exclude_input_in_output": "BOOL", "return_num_input_tokens": "BOOL", "return_num_output_tokens": "BOOL",
}

// inferOutputs are the names of its outputs.
var inferOutputs = []string{"text_output", "num_input_tokens", "num_output_tokens"}

func readInfer(m *Model, r *http.Request, raw []byte) (*Call, error) {
	var b struct {
		ID      string   `json:"id"`
		Inputs  []tensor `json:"inputs"`
		Outputs []struct {
			Name string `json:"name"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("failed to parse the request JSON buffer: %w", err)
	}
	values := map[string]any{}
	for i := range b.Inputs {
		in := &b.Inputs[i]
		value, err := in.scalar()
		if err != nil {
			return nil, err
		}
		values[in.Name] = value
	}
	for _, o := range b.Outputs {
		if !slices.Contains(inferOutputs, o.Name) {
			return nil, fmt.Errorf("unexpected inference output '%s' for model '%s'", o.Name, r.PathValue("model"))
		}
	}
	text, ok := values["text_input"].(string)
	if !ok {
		return nil, fmt.Errorf("expected input 'text_input' for model '%s'", r.PathValue("model"))
	}
	if values["stream"] == true {
		return nil, errors.New("ModelInfer RPC doesn't support models with decoupled transaction policy")
	}
	whole := func(name string) *int {
		if v, ok := values[name].(float64); ok {
			n := int(v)
			return &n
		}
		return nil
	}
	least := 0
	if n := whole("min_tokens"); n != nil {
		least = *n
	}
	c, err := tritonCall(m, r, text, whole("max_tokens"), least, whole("end_id"))
	if err != nil {
		return nil, err
	}
	c.triton.id = b.ID
	c.triton.inputCount, c.triton.outputCount = values["return_num_input_tokens"] == true, values["return_num_output_tokens"] == true
	return c, nil
}

// scalar is the one value of an input, if name, type and shape are right.
func (in *tensor) scalar() (any, error) {
	want, known := inferInputs[in.Name]
	if !known {
		return nil, fmt.Errorf("unexpected inference input '%s'", in.Name)
	}
	if in.Type != want {
		return nil, fmt.Errorf("inference input '%s' data-type is '%s', model expects '%s'", in.Name, in.Type, want)
	}
	for data := any(in.Data); ; {
		list, ok := data.([]any)
		if !ok || len(list) != 1 {
			return nil, fmt.Errorf("unable to parse 'data' of input '%s': one value is expected", in.Name)
		}
		if _, deeper := list[0].([]any); deeper {
			data = list[0]
			continue
		}
		if !slices.Equal(in.Shape, []int{1, 1}) { // the batch, and what is in it
			return nil, fmt.Errorf("unexpected shape for input '%s': expected [1,1], got %v", in.Name, in.Shape)
		}
		_, isText := list[0].(string)
		_, isBool := list[0].(bool)
		if isText != (want == "BYTES") || isBool != (want == "BOOL") {
			return nil, fmt.Errorf("unable to parse 'data' of input '%s': its value is no %s", in.Name, want)
		}
		return list[0], nil
	}
}

func inferWhole(c *Call, a *Result) any {
	outputs := []tensor{{Name: "text_output", Type: "BYTES", Shape: []int{1, 1}, Data: []string{a.Answer.Text(0, a.Usage.Completion)}}}
	if c.triton.inputCount && !a.NoUsage {
		outputs = append(outputs, tensor{Name: "num_input_tokens", Type: "INT32", Shape: []int{1, 1}, Data: []int{a.Usage.Prompt}})
	}
	if c.triton.outputCount && !a.NoUsage {
		outputs = append(outputs, tensor{Name: "num_output_tokens", Type: "INT32", Shape: []int{1, 1}, Data: []int{a.Usage.Completion}})
	}
	whole := map[string]any{"model_name": c.triton.model, "model_version": "1", "outputs": outputs}
	if c.triton.id != "" {
		whole["id"] = c.triton.id
	}
	return whole
}
