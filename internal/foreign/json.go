package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// format is one tool's JSON: a sign by which an object is known, and its reader.
type format struct {
	tool result.Tool
	keys []string // all of these are present at the top
	read func(o object) ([]result.Result, error)
}

// object is one JSON object: all of its bytes, and those of each value at its top. A result has tens of
// kilobytes and a history thousands of results, so it is taken apart once.
type object struct {
	whole []byte
	top   map[string]json.RawMessage
}

// formats are tried in this order; the first whose keys are all present reads the object.
var formats = []format{
	{result.GuideLLM, []string{"benchmarks", "metadata"}, readGuideLLM},
	{result.AIPerf, []string{"request_latency", "time_to_first_token"}, readAIPerf},
	{result.InferencePerf, []string{"load_summary", "successes"}, readInferencePerf},
	{result.BatchLatency, []string{"avg_latency", "latencies"}, readBatchLatency},
	{result.Throughput, []string{"elapsed_time", "requests_per_second"}, readThroughput},
	{result.LlamaBench, []string{"n_prompt", "n_gen", "avg_ts"}, readLlamaObject},
	{result.SGLang, []string{"total_output_tokens_retokenized", "request_throughput"}, readSGLang},
	{result.InferenceX, []string{"scenario_type", "request_metrics"}, readInferenceXAgentic},
	{result.InferenceX, []string{"median_ttft", "request_throughput"}, readInferenceX},
	{result.VLLM, []string{"request_throughput"}, readVLLM},
}

// readJSON reads one object, an array of objects, or one object after the other
// (JSONL, also with a bare Infinity, as SGLang writes).
func readJSON(data []byte) ([]result.Result, error) {
	var runs []result.Result
	d := json.NewDecoder(bytes.NewReader(pyjson.Strict(data)))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return joinShapes(runs), nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is no JSON: %w", err)
		}
		more, err := readValue(raw)
		if err != nil {
			return nil, err
		}
		runs = append(runs, more...)
	}
}

func readValue(raw json.RawMessage) ([]result.Result, error) {
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		var runs []result.Result
		for _, item := range list {
			if len(item) == 0 || item[0] != '{' {
				return nil, result.ErrNothing
			}
			more, err := readValue(item)
			if err != nil {
				return nil, err
			}
			runs = append(runs, more...)
		}
		return runs, nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, result.ErrNothing // a string or a number is no result
	}
	for _, f := range formats {
		if !hasAll(top, f.keys) {
			continue
		}
		runs, err := f.read(object{raw, top})
		if err != nil {
			return nil, fmt.Errorf("it looks like a result of %s, but: %w", f.tool, err)
		}
		for i := range runs {
			if len(runs[i].Values) == 0 && !runs[i].Facts.Nothing {
				return nil, fmt.Errorf("it looks like a result of %s, but has no number that could be compared", f.tool)
			}
		}
		return runs, nil
	}
	return nil, result.ErrNothing
}

func hasAll(top map[string]json.RawMessage, keys []string) bool {
	for _, k := range keys {
		if _, ok := top[k]; !ok {
			return false
		}
	}
	return true
}

// number is a JSON number that may be a word instead: vLLM writes "inf" for no rate.
type number struct {
	value float64
	told  bool // there was something, if only a word
}

func (n *number) UnmarshalJSON(b []byte) error {
	n.told = true
	var f float64
	if json.Unmarshal(b, &f) == nil && f > 0 {
		n.value = f
	}
	return nil
}
