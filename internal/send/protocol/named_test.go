package protocol

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

func TestNamedBodies(t *testing.T) {
	talk := json.RawMessage(`[{"role":"system","content":"be <brief>"},{"role":"user","content":"a"},
		{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"c2","function":{"name":"g","arguments":"oops"}}]},
		{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"two"},
		{"role":"assistant","content":"b"},{"role":"assistant","content":""},{"role":"user","content":"c"}]`)
	picture := []json.RawMessage{
		json.RawMessage(`{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}`),
		json.RawMessage(`{"type":"image_url","image_url":{"url":"https://x/y.png"}}`),
	}
	tools := []Field{
		{Name: "temperature", Value: json.RawMessage("0"), Sampling: true},
		{Name: "tools", Value: json.RawMessage(`[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},{"name":"own"}]`)},
		{Name: "tool_choice", Value: json.RawMessage(`"auto"`)},
	}
	for _, tt := range []struct {
		name, backend string
		call          Call
		want          string
	}{
		{
			"a text", "openai-responses",
			Call{Model: "m", Prompt: "hi <b>", MaxTokens: 7, IgnoreEOS: true},
			`{"model": "m", "input": "hi <b>", "max_output_tokens": 7, "stream": true, "store": false, "ignore_eos": true}`,
		},
		{
			"images", "openai-responses",
			Call{Model: "m", Prompt: "hi", Media: picture, MaxTokens: 7, NoStream: true},
			`{"model": "m", "input": [{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"data:image/png;base64,QUJD","detail":"auto"},{"type":"input_image","image_url":"https://x/y.png","detail":"auto"}]}], "max_output_tokens": 7, "stream": false, "store": false}`,
		},
		{
			"a conversation", "openai-responses",
			Call{Model: "m", Messages: talk, MaxTokens: 7},
			`{"model": "m", "instructions": "be <brief>", "input": [{"role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"x\":1}"},{"type":"function_call","call_id":"c2","name":"g","arguments":"oops"},{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"function_call_output","call_id":"c2","output":"two"},{"type":"message","role":"assistant","content":"b"},{"type":"message","role":"assistant","content":""},{"role":"user","content":[{"type":"input_text","text":"c"}]}], "max_output_tokens": 7, "stream": true, "store": false}`,
		},
		{
			"tools of a dataset", "openai-responses",
			Call{Model: "m", Prompt: "hi", MaxTokens: 7, Extra: tools},
			`{"model": "m", "input": "hi", "max_output_tokens": 7, "stream": true, "store": false, "temperature": 0, "tools": [{"type":"function","name":"f","description":"d","parameters":{"type":"object"}},{"name":"own"}], "tool_choice": "auto"}`,
		},
		{
			"a text", "anthropic",
			Call{Model: "m", Prompt: "hi <b>", MaxTokens: 7},
			`{"model": "m", "max_tokens": 7, "messages": [{"role":"user","content":"hi <b>"}], "stream": true}`,
		},
		{
			"images", "anthropic",
			Call{Model: "m", Prompt: "hi", Media: picture, MaxTokens: 7, NoStream: true},
			`{"model": "m", "max_tokens": 7, "messages": [{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}},{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]}], "stream": false}`,
		},
		{
			"a conversation", "anthropic",
			Call{Model: "m", Messages: talk, MaxTokens: 7},
			`{"model": "m", "max_tokens": 7, "system": "be <brief>", "messages": [{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"tool_use","id":"c1","name":"f","input":{"x":1}},{"type":"tool_use","id":"c2","name":"g","input":{"arguments":"oops"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","content":"two"}]},{"role":"assistant","content":"b"},{"role":"user","content":"c"}], "stream": true}`,
		},
		{
			"tools of a dataset", "anthropic",
			Call{Model: "m", Prompt: "hi", MaxTokens: 7, Extra: tools},
			`{"model": "m", "max_tokens": 7, "messages": [{"role":"user","content":"hi"}], "stream": true, "temperature": 0, "tools": [{"name":"f","description":"d","input_schema":{"type":"object"}},{"name":"own"}], "tool_choice": {"type":"auto"}}`,
		},
	} {
		t.Run(tt.backend+" "+tt.name, func(t *testing.T) {
			p, err := FindBackend(tt.backend)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.AppendBody(nil, &tt.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, c := range []Call{
		{Prompt: "[1]", TokenIDs: true},
		{Prompt: "x", Media: []json.RawMessage{json.RawMessage(`{"type":"input_audio"}`)}},
		{Messages: json.RawMessage(`{"role":1}`)},
	} {
		for _, p := range []Protocol{responses, messages} {
			if got, err := p.AppendBody(nil, &c); err == nil {
				t.Errorf("%T took %+v: %s", p, c, got)
			}
		}
	}
	if _, err := messages.AppendBody(nil, &Call{Extra: []Field{{Name: "min_p", Value: json.RawMessage("1"), Sampling: true}}}); err == nil {
		t.Error("Messages took min_p")
	}
}

// named makes a stream of events whose data say their type.
func named(events ...string) string {
	var b strings.Builder
	for _, data := range events {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(data), &e)
		b.WriteString("event: " + e.Type + "\ndata: " + data + "\n\n")
	}
	return b.String()
}

// said is what a stream comes to.
type said struct {
	Text, Reasoning, Finish, Error string
	Kinds                          []stream.EventKind
	Tools                          []stream.ToolCall
	Usage                          stream.Usage
	HasUsage, Done, Malformed      bool
}

func readNamed(t *testing.T, p *Backend, body string) (got said) {
	t.Helper()
	s := NewStream(p)
	s.KeepAnswer = true
	s.Reset(0)
	s.Head(200, http.Header{}, wire.Stamp{})
	s.Body([]byte(body), wire.Stamp{At: 1})
	s.Finish()
	tr := &s.Trace
	got = said{
		Text: string(tr.Text), Reasoning: string(tr.Reasoning), Finish: tr.FinishReason, Error: string(tr.ErrorBody), Tools: tr.Tools,
		Usage: tr.Usage, HasUsage: tr.HasUsage, Done: tr.Done, Malformed: tr.Malformed != nil,
	}
	for _, e := range tr.Events {
		got.Kinds = append(got.Kinds, e.Kind)
	}
	return got
}

const (
	kindText   = stream.EventChoices | stream.EventText
	kindReason = stream.EventChoices | stream.EventReasoning
	kindTool   = stream.EventChoices | stream.EventTool
	kindEnd    = stream.EventFinish | stream.EventUsage
)

func TestNamedStreams(t *testing.T) {
	created := `{"type":"response.created","response":{"id":"r","status":"in_progress","output":[],"error":null,"usage":{"input_tokens":0,"output_tokens":0}}}`
	delta := `{"content_index":0,"delta":"a\n\"b","item_id":"m","logprobs":[],"output_index":0,"sequence_number":4,"type":"response.output_text.delta"}`
	start := `{"type":"message_start","message":{"id":"m","usage":{"input_tokens":90,"output_tokens":1}}}`
	textDelta := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n\"b"}}`
	for _, tt := range []struct {
		name, backend, body string
		want                said
	}{
		{
			"vLLM ends by length with completed, and has the type last", "openai-responses",
			named(created, delta, `{"type":"response.output_text.done","text":"a\n\"b"}`,
				`{"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":4},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1}}},"type":"response.completed"}`),
			said{Text: "a\n\"b", Finish: "length", Kinds: []stream.EventKind{0, kindText, 0, kindEnd}, Usage: stream.Usage{Prompt: 5, Output: 2, Cached: 4, CachedKnown: true, Reasoning: 1, ReasoningKnown: true}, HasUsage: true, Done: true},
		},
		{
			"OpenAI ends by length with incomplete; an empty delta is no token", "openai-responses",
			named(`{"type":"response.output_text.delta","delta":""}`, delta, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`),
			said{Text: "a\n\"b", Finish: "content_filter", Kinds: []stream.EventKind{0, kindText, stream.EventFinish}, Done: true},
		},
		{
			"reasoning, its summary and calls with and without an index", "openai-responses",
			named(`{"type":"response.reasoning_text.delta","delta":"h"}`, `{"type":"response.reasoning_summary_text.delta","delta":"m"}`,
				`{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","call_id":"c1","name":"f","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"x\":"}`,
				`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"1}"}`,
				`{"type":"response.function_call_arguments.done","output_index":3,"arguments":"{\"x\":1}"}`,
				`{"type":"response.output_item.added","item":{"type":"function_call","call_id":"c2","name":"g","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","item_id":"fc_2","delta":"{}"}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning"},{"type":"function_call","arguments":"{}"}]}}`),
			said{
				Reasoning: "hm", Finish: "tool_calls", Done: true, Tools: []stream.ToolCall{{ID: "c1", Name: "f", Arguments: []byte(`{"x":1}`)}, {ID: "c2", Name: "g", Arguments: []byte("{}")}},
				Kinds: []stream.EventKind{kindReason, kindReason, 0, kindTool, kindTool, 0, 0, kindTool, stream.EventFinish},
			},
		},
		{"the body breaks off", "openai-responses", named(created, delta), said{Text: "a\n\"b", Kinds: []stream.EventKind{0, kindText}}},
		{
			"llama.cpp's nameless error", "openai-responses", named(created) + `data: {"error":{"code":500,"message":"it broke"}}` + "\n\n",
			said{Error: "it broke", Kinds: []stream.EventKind{0}},
		},
		{"an error event", "openai-responses", named(`{"type":"error","code":"server_error","message":"it broke","param":null}`), said{Error: "it broke"}},
		{"a failed response", "openai-responses", named(`{"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"it broke"}}}`), said{Error: "it broke"}},
		{"counts that are none", "openai-responses", named(`{"type":"response.completed","response":{"usage":{"output_tokens":"9"}}}`), said{Malformed: true}},
		{"no JSON", "openai-responses", "event: response.completed\ndata: {oops\n\n", said{Malformed: true}},
		{
			"vLLM's message_delta takes the place of the prompt's count; cached tokens are part of it", "anthropic",
			named(start, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"ping"}`, textDelta, `{"type":"content_block_stop","index":0}`,
				`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"input_tokens":10,"cache_read_input_tokens":70,"cache_creation_input_tokens":5,"output_tokens":2}}`, `{"type":"message_stop"}`),
			said{Text: "a\n\"b", Finish: "length", Kinds: []stream.EventKind{0, 0, 0, kindText, 0, kindEnd, 0}, Usage: stream.Usage{Prompt: 85, Output: 2, Cached: 70, CachedKnown: true}, HasUsage: true, Done: true},
		},
		{
			"thinking, its signature and calls", "anthropic",
			named(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ab"}}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"f","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}`,
				`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c2","name":"g","input":{"y":"\"z"}}}`,
				`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`),
			said{
				Reasoning: "hm", Finish: "tool_calls", Usage: stream.Usage{Output: 7}, HasUsage: true,
				Tools: []stream.ToolCall{{ID: "c1", Name: "f", Arguments: []byte(`{"x":1}`)}, {ID: "c2", Name: "g", Arguments: []byte(`{"y":"\"z"}`)}},
				Kinds: []stream.EventKind{kindReason, 0, 0, 0, kindTool, kindTool, kindEnd},
			},
		},
		{"the body breaks off", "anthropic", named(start, textDelta), said{Text: "a\n\"b", Kinds: []stream.EventKind{0, kindText}, Usage: stream.Usage{Prompt: 90}}},
		{"an error event", "anthropic", named(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), said{Error: "Overloaded"}},
		{"llama.cpp's bare error", "anthropic", "event: error\ndata: {\"code\":500,\"message\":\"it broke\",\"type\":\"server_error\"}\n\n", said{Error: "it broke"}},
		{"an absurd count", "anthropic", named(`{"type":"message_delta","delta":{},"usage":{"output_tokens":-4}}`), said{Malformed: true}},
		{
			"llama.cpp, captured", "openai-responses", capturedAt(t, "llama-responses.txt"),
			said{Text: "Hello there, welcome to", Finish: "stop", Kinds: []stream.EventKind{0, 0, 0, 0, kindText, kindText, kindText, kindText, kindText, 0, 0, 0, kindEnd}, Usage: stream.Usage{Prompt: 33, Output: 5, Cached: 0, CachedKnown: true}, HasUsage: true, Done: true},
		},
		{
			"llama.cpp, captured", "anthropic", capturedAt(t, "llama-messages.txt"),
			said{Text: "Hello there, welcome to", Finish: "length", Kinds: []stream.EventKind{0, 0, kindText, kindText, kindText, kindText, kindText, 0, kindEnd, 0}, Usage: stream.Usage{Prompt: 33, Output: 5, Cached: 24, CachedKnown: true}, HasUsage: true, Done: true},
		},
	} {
		t.Run(tt.backend+" "+tt.name, func(t *testing.T) {
			p, err := FindBackend(tt.backend)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, readNamed(t, p, tt.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func capturedAt(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNamedAnswers(t *testing.T) {
	calls := []stream.ToolCall{{ID: "c1", Name: "f", Arguments: []byte(`{"x":"\"y"}`)}, {ID: "c2", Name: "g", Arguments: []byte("{}")}}
	for _, tt := range []struct {
		name, backend, body string
		want                said
	}{
		{
			"all of it", "openai-responses",
			`{"id":"r","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"h"}],"content":[{"type":"reasoning_text","text":"m"}]},
			{"type":"message","content":[{"type":"output_text","text":"a\n"},{"type":"output_text","text":"b"}]},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"x\":\"\\\"y\"}"},{"type":"function_call","call_id":"c2","name":"g","arguments":"{}"}]}`,
			said{Text: "a\nb", Reasoning: "hm", Finish: "tool_calls", Tools: calls, Kinds: []stream.EventKind{kindText | kindReason | kindTool | stream.EventFinish}, Done: true},
		},
		{
			"all of it", "anthropic",
			`{"id":"r","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"a\n"},{"type":"text","text":"b"},{"type":"tool_use","id":"c1","name":"f","input":{"x":"\"y"}},{"type":"tool_use","id":"c2","name":"g","input":{}}],"stop_reason":"tool_use"}`,
			said{Text: "a\nb", Reasoning: "hm", Finish: "tool_calls", Tools: calls, Kinds: []stream.EventKind{kindText | kindReason | kindTool | stream.EventFinish}, Done: true},
		},
		{"an error", "openai-responses", `{"error":{"message":"it broke"}}`, said{Error: "it broke"}},
		{"an error", "anthropic", `{"type":"error","error":{"type":"api_error","message":"it broke"}}`, said{Error: "it broke"}},
		{
			"llama.cpp, captured", "openai-responses", capturedAt(t, "llama-responses-whole.json"),
			said{Text: "Hello there, welcome to", Finish: "stop", Kinds: []stream.EventKind{kindText | kindEnd}, Usage: stream.Usage{Prompt: 33, Output: 5, Cached: 32, CachedKnown: true}, HasUsage: true, Done: true},
		},
		{
			"llama.cpp, captured", "anthropic", capturedAt(t, "llama-messages-whole.json"),
			said{Text: "Hello there, welcome to", Finish: "length", Kinds: []stream.EventKind{kindText | kindEnd}, Usage: stream.Usage{Prompt: 33, Output: 5, Cached: 24, CachedKnown: true}, HasUsage: true, Done: true},
		},
	} {
		t.Run(tt.backend+" "+tt.name, func(t *testing.T) {
			p, _ := FindBackend(tt.backend)
			whole, err := p.Unstreamed()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, readNamed(t, whole, tt.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNamedStreamsAllocateNothing(t *testing.T) {
	for p, data := range map[*Backend][]string{
		openAIResponses: {
			`{"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":" \"word\""}`,
			`{"type":"response.function_call_arguments.delta","item_id":"m","output_index":0,"delta":" \"word\""}`,
		},
		anthropic: {
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" \"word\""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" \"word\""}}`,
		},
	} {
		s := NewStream(p)
		events := []byte(named(data...))
		run := func() {
			s.Reset(0)
			s.Trace.ServerID, s.Trace.Status = "known", 200
			for i := range 64 {
				s.Body(events, wire.Stamp{At: int64(i)})
			}
		}
		run()
		if n := testing.AllocsPerRun(50, run); n != 0 {
			t.Errorf("%s: %v allocations in 128 events, want 0", p.Name, n)
		}
	}
}

func FuzzNamedStreams(f *testing.F) {
	for _, name := range []string{"llama-responses.txt", "llama-messages.txt"} {
		f.Add([]byte(capturedAt(f, name)), name == "llama-messages.txt", false)
	}
	f.Add([]byte(capturedAt(f, "llama-responses-whole.json")), false, true)
	f.Add([]byte(capturedAt(f, "llama-messages-whole.json")), true, true)
	f.Add([]byte(named(`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"g","input":{"y":"\"z"}}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}`)), true, false)
	f.Add([]byte(named(`{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"x\":"}`)), false, false)
	f.Fuzz(func(t *testing.T, b []byte, isMessages, whole bool) {
		p := openAIResponses
		if isMessages {
			p = anthropic
		}
		if whole {
			p, _ = p.Unstreamed()
		}
		s := NewStream(p)
		s.KeepAnswer = true
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		s.Body(b, wire.Stamp{})
		s.Finish()
		if n := s.Trace.Usage; n.Prompt < 0 || n.Output < 0 || n.Prompt > 3*stream.MaxTokenCount {
			t.Errorf("usage %+v", n)
		}
	})
}
