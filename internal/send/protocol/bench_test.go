package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// benchEvents are the events of an answer as each server writes them, of which the middle one comes again and again.
var benchEvents = map[string][3]string{
	"openai": {
		``, `data: {"id":"cmpl-1","object":"text_completion","created":1794792464,"model":"m","choices":[{"index":0,"text":" word","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}` + "\n\n",
		`data: {"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":5,"total_tokens":69,"completion_tokens":64}}` + "\n\ndata: [DONE]\n\n",
	},
	"openai-chat": {
		``, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1794792464,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}` + "\n\n",
		`data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":5,"total_tokens":69,"completion_tokens":64}}` + "\n\ndata: [DONE]\n\n",
	},
	"tgi": {
		``, `data:{"index":1,"token":{"id":13,"text":" word","logprob":-0.1,"special":false},"generated_text":null,"details":null}` + "\n\n",
		`data:{"index":64,"token":{"id":2,"text":"</s>","logprob":-0.1,"special":true},"generated_text":" a b","details":{"finish_reason":"length","generated_tokens":65,"seed":null,"input_length":5}}` + "\n\n",
	},
	"sglang": {
		``, `data: {"text":" %04[1]d","output_ids":[%[1]d],"meta_info":{"id":"r1","finish_reason":null,"prompt_tokens":5,"weight_version":"default","num_retractions":0,"reasoning_tokens":0,"completion_tokens":%[1]d,"cached_tokens":2}}` + "\n\n",
		"data: [DONE]\n\n",
	},
	"trtllm": {
		``, `data: {"context_logits":0.0,"cum_log_probs":0.0,"generation_logits":0.0,"model_name":"ensemble","model_version":"1","num_input_tokens":3,"num_output_tokens":1,"output_log_probs":0.0,"sequence_end":false,"sequence_id":0,"text_output":" word"}` + "\n\n",
		``,
	},
	"llamacpp": {
		``, `data: {"index":0,"content":" word","tokens":[1024],"stop":false,"id_slot":-1,"tokens_predicted":%d,"tokens_evaluated":33}` + "\n\n",
		`data: {"index":0,"content":"","tokens":[],"stop":true,"stop_type":"limit","tokens_predicted":64,"tokens_evaluated":33,"timings":{"cache_n":3,"prompt_n":30,"prompt_ms":12.5,"predicted_n":64,"predicted_ms":99.5}}` + "\n\n",
	},
	"ollama": {
		``, `{"model":"smollm2","created_at":"2026-11-01T10:00:00.123456789Z","response":" word","done":false}` + "\n",
		`{"model":"smollm2","created_at":"2026-11-01T10:00:00.123456789Z","response":"","done":true,"done_reason":"length","total_duration":5000,"load_duration":10,"prompt_eval_count":12,"prompt_eval_duration":100,"eval_count":64,"eval_duration":1000}` + "\n",
	},
	"ollama-chat": {
		``, `{"model":"smollm2","created_at":"2026-11-01T10:00:00.123456789Z","message":{"role":"assistant","content":" word"},"done":false}` + "\n",
		`{"model":"smollm2","created_at":"2026-11-01T10:00:00.123456789Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"length","prompt_eval_count":12,"eval_count":64}` + "\n",
	},
	"anthropic": {
		"event: message_start\n" + `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":33,"output_tokens":0}}}` + "\n\n",
		"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}` + "\n\n",
		"event: message_delta\n" + `data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":64}}` + "\n\nevent: message_stop\n" + `data: {"type":"message_stop"}` + "\n\n",
	},
	"openai-responses": {
		"event: response.created\n" + `data: {"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}` + "\n\n",
		"event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_0","output_index":0,"content_index":0,"delta":" word"}` + "\n\n",
		"event: response.incomplete\n" + `data: {"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":2},"output_tokens":64,"output_tokens_details":{"reasoning_tokens":0}}}}` + "\n\n",
	},
	"custom": {
		``, `data: {"id":"cmpl-1","object":"text_completion","created":1794792464,"model":"m","choices":[{"index":0,"text":" word","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}` + "\n\n",
		`data: {"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":5,"total_tokens":69,"completion_tokens":64}}` + "\n\ndata: [DONE]\n\n",
	},
}

const benchFile = `{"path":"/v1/completions","body":{"prompt":"{prompt}"},"text":"choices.0.text","finish":"choices.0.finish_reason","output_tokens":"usage.completion_tokens","prompt_tokens":"usage.prompt_tokens","id":"id","error":"error","done":{"data":"[DONE]"}}`

// BenchmarkStream is what reading one event costs, of an answer of 64 tokens and of each protocol.
func BenchmarkStream(b *testing.B) {
	const tokens = 64
	for _, name := range Backends() {
		parts, ok := benchEvents[name]
		backend, err := FindBackend(name)
		if name == CustomName {
			backend, err = ReadCustom([]byte(benchFile))
		}
		if err != nil {
			b.Fatal(err)
		}
		if !ok {
			continue
		}
		events := [][]byte{[]byte(parts[0])}
		for i := range tokens {
			text := parts[1]
			if strings.Contains(text, "%") {
				text = fmt.Sprintf(text, i+1)
			}
			events = append(events, []byte(text))
		}
		events = append(events, []byte(parts[2]))
		b.Run(name, func(b *testing.B) {
			s := NewStream(backend)
			b.ReportAllocs()
			for b.Loop() {
				s.Reset(tokens)
				s.Head(200, noHeader{}, wire.Stamp{})
				for i, e := range events {
					if len(e) > 0 {
						s.Body(e, wire.Stamp{At: int64(i)})
					}
				}
				s.Finish()
			}
			if !s.Trace.Done || s.Trace.Malformed != nil || len(s.Trace.Text) != tokens*len(" word") {
				b.Fatalf("%+v", s.Trace)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/event")
		})
	}
}
