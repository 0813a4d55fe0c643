package protocol

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

func sampled(name, value string) Field {
	return Field{Name: name, Value: json.RawMessage(value), Sampling: true}
}

func TestBodiesOfEngines(t *testing.T) {
	for _, tt := range []struct {
		name, backend string
		call          Call
		want          string // or the error, after "!"
	}{
		{"sglang", "sglang", Call{Model: "m", Prompt: "a <b>", MaxTokens: 7, IgnoreEOS: true}, `{"text": "a <b>", "sampling_params": {"max_new_tokens": 7, "ignore_eos": true}, "stream": true}`},
		{"sglang with ids, in one piece", "sglang", Call{Prompt: "[1,2]", TokenIDs: true, MaxTokens: 7, NoStream: true}, `{"input_ids": [1,2], "sampling_params": {"max_new_tokens": 7}, "stream": false}`},
		{
			"sglang's own fields", "sglang",
			Call{Prompt: "a", MaxTokens: 7, Extra: []Field{
				sampled("temperature", "0.0"), sampled("top_k", "5"),
				{Name: "rid", Value: json.RawMessage(`"x"`)},
				{Name: "sampling_params", Value: json.RawMessage(`{"min_new_tokens": 3, "temperature": 0.5}`)},
			}},
			`{"text": "a", "sampling_params": {"max_new_tokens": 7, "temperature": 0.5, "top_k": 5, "min_new_tokens": 3}, "stream": true, "rid": "x"}`,
		},
		{"sglang's settings are no object", "sglang", Call{Extra: []Field{{Name: "sampling_params", Value: json.RawMessage("5")}}}, "!the field sampling_params must be an object"},
		{"sglang takes no messages", "sglang", Call{Messages: json.RawMessage("[]")}, "!/generate takes a text"},
		{"tgi", "tgi", Call{Model: "m", Prompt: "a", MaxTokens: 7}, `{"inputs": "a", "parameters": {"max_new_tokens": 7, "details": true}}`},
		{"tgi sampled", "tgi", Call{Prompt: "a", MaxTokens: 7, Extra: []Field{sampled("top_p", "0.9"), sampled("temperature", "0.7")}}, `{"inputs": "a", "parameters": {"max_new_tokens": 7, "details": true, "top_p": 0.9, "do_sample": true, "temperature": 0.7}}`},
		{"tgi greedy", "tgi", Call{Prompt: "a", MaxTokens: 7, Extra: []Field{sampled("top_p", "1.0"), sampled("top_k", "-1"), sampled("temperature", "0.0")}}, `{"inputs": "a", "parameters": {"max_new_tokens": 7, "details": true, "do_sample": false}}`},
		{"tgi can't be both", "tgi", Call{Extra: []Field{sampled("top_p", "0.5"), sampled("temperature", "0")}}, "!TGI samples as soon as"},
		{"tgi has no min_p", "tgi", Call{Extra: []Field{sampled("min_p", "0.5")}}, "!no word for min_p"},
		{"tgi takes no ids", "tgi", Call{Prompt: "[1]", TokenIDs: true}, "!no token ids"},
		{"tgi can't ignore the end", "tgi", Call{IgnoreEOS: true}, "!ignore_eos"},
		{"tgi's own fields", "tgi", Call{Prompt: "a", MaxTokens: 7, Extra: []Field{{Name: "parameters", Value: json.RawMessage(`{"truncate":5}`)}}}, `{"inputs": "a", "parameters": {"max_new_tokens": 7, "details": true, "truncate": 5}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := FindBackend(tt.backend)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.AppendBody(nil, &tt.call)
			if words, fails := strings.CutPrefix(tt.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%s, %v; want %q", got, err, words)
				}
				return
			}
			if err != nil || string(got) != tt.want || !json.Valid(got) {
				t.Errorf("%v\n got %s\nwant %s", err, got, tt.want)
			}
		})
	}
}

// sg is an event of SGLang's; ids is the inside of the list, "-" for none.
func sg(text, ids string, completion int, finish string) string {
	list := `"output_ids":[` + ids + `],`
	if ids == "-" {
		list = ""
	}
	return fmt.Sprintf(`data: {"text":%q,%s"meta_info":{"id":"r1","finish_reason":%s,"prompt_tokens":5,"weight_version":"default","completion_tokens":%d,"cached_tokens":2}}`+"\n\n", text, list, finish, completion)
}

const length = `{"type":"length","length":3}`

type read struct {
	Text, Finish, Error string
	Texts               []string // of each event
	Tokens              []int
	By                  string
	Usage               stream.Usage
	Done, Malformed     bool
}

func readOf(tr *stream.Trace) read {
	got := read{Text: string(tr.Text), Finish: tr.FinishReason, Error: string(tr.ErrorBody), By: tr.TokensBy.String(), Usage: tr.Usage, Done: tr.Done, Malformed: tr.Malformed != nil}
	start := 0
	for i, e := range tr.Events {
		got.Texts = append(got.Texts, string(tr.Text[start:tr.TextEnds[i]]))
		if (tr.TextEnds[i] > start) != (e.Kind&stream.EventText != 0) {
			got.Texts[i] += "!" // the kind says something else
		}
		got.Tokens, start = append(got.Tokens, e.Tokens), tr.TextEnds[i]
	}
	return got
}

// Streams composed after SGLang's sources, in the forms of its versions: ids of all tokens
// (2026), of the new ones with all of the text (2025), none (before), and
// --incremental-streaming-output.
func TestSGLangsStreams(t *testing.T) {
	usage := stream.Usage{Prompt: 5, Output: 3, Cached: 2, CachedKnown: true}
	whole := read{Text: " a b c", Finish: "length", Texts: []string{" a", " b", " c"}, Tokens: []int{1, 1, 1}, By: "usage", Usage: usage, Done: true}
	ha := whole
	ha.Text, ha.Texts = " ha ha ha", []string{" ha", " ha", " ha"}
	for _, tt := range []struct {
		name   string
		pieces []string
		want   read
	}{
		{"cumulative", []string{sg(" a", "1", 1, "null"), sg(" a b", "1,2", 2, "null"), sg(" a b c", "1,2,3", 3, length), ending}, whole},
		{"cumulative text, new ids", []string{sg(" a", "1", 1, "null"), sg(" a b", "2", 2, "null"), sg(" a b c", "3", 3, length), ending}, whole},
		{"cumulative, no ids", []string{sg(" a", "-", 1, "null"), sg(" a b", "-", 2, "null"), sg(" a b c", "-", 3, length), ending}, whole},
		{"incremental", []string{sg(" a", "1", 1, "null"), sg(" b", "2", 2, "null"), sg(" c", "3", 3, length), ending}, whole},
		{"the same token again, cumulative", []string{sg(" ha", "1", 1, "null"), sg(" ha ha", "1,1", 2, "null"), sg(" ha ha ha", "1,1,1", 3, length), ending}, ha},
		{"the same token again, cumulative text", []string{sg(" ha", "1", 1, "null"), sg(" ha ha", "1", 2, "null"), sg(" ha ha ha", "1", 3, length), ending}, ha},
		{"the same token again, incremental", []string{sg(" ha", "1", 1, "null"), sg(" ha", "1", 2, "null"), sg(" ha", "1", 3, length), ending}, ha},
		{
			"incremental, and the second begins with the first",
			[]string{sg(" a", "1", 1, "null"), sg(" a b", "1,2", 3, "null"), sg(" c", "3", 4, length), ending},
			read{Text: " a a b c", Finish: "length", Texts: []string{" a", " a b", " c"}, Tokens: []int{1, 2, 1}, By: "usage", Usage: stream.Usage{Prompt: 5, Output: 4, Cached: 2, CachedKnown: true}, Done: true},
		},
		{
			"incremental, doubling, then nothing",
			[]string{sg("", "9", 1, "null"), sg("a", "1", 2, "null"), sg("aa", "1,1", 4, "null"), sg("aab", "1,1,2", 7, "null"), sg("", "8", 8, length), ending},
			read{Text: "aaaaab", Finish: "length", Texts: []string{"", "a", "aa", "aab", ""}, Tokens: []int{1, 1, 2, 3, 1}, By: "usage", Usage: stream.Usage{Prompt: 5, Output: 8, Cached: 2, CachedKnown: true}, Done: true},
		},
		{
			"a token without text, cumulative",
			[]string{sg(" a", "1", 1, "null"), sg(" a", "1,7", 2, "null"), sg(" a", "1,7,2", 3, `{"type":"stop","matched":2}`), ending},
			read{Text: " a", Finish: "stop", Texts: []string{" a", "", ""}, Tokens: []int{1, 1, 1}, By: "usage", Usage: usage, Done: true},
		},
		{
			"several tokens an event",
			[]string{sg(" a b", "1,2", 2, "null"), sg(" a b c", "1,2,3", 3, length), ending},
			read{Text: " a b c", Finish: "length", Texts: []string{" a b", " c"}, Tokens: []int{2, 1}, By: "usage", Usage: usage, Done: true},
		},
		{
			"a cumulative text is taken back",
			[]string{sg(" a", "1", 1, "null"), sg(" a b", "1,2", 2, "null"), sg(" x", "1,2,3", 3, length), ending},
			read{Text: " a b", Finish: "length", Texts: []string{" a", " b", ""}, Tokens: []int{1, 1, 1}, By: "usage", Usage: usage, Malformed: true},
		},
		{
			"an abort",
			[]string{sg(" a", "1", 1, "null"), sg(" a", "1", 1, `{"type":"abort","message":"out of memory","status_code":500,"err_type":null}`), ending},
			read{Text: " a", Error: "out of memory", Texts: []string{" a"}, Tokens: []int{1}, By: "usage", Usage: stream.Usage{Prompt: 5, Output: 1, Cached: 2, CachedKnown: true}, Done: true},
		},
		{
			"an error",
			[]string{`data: {"error":{"message":"too long","type":"invalid_request_error","code":400,"retryable":false}}` + "\n\n", ending},
			read{Error: "too long", Done: true},
		},
		{
			"ids alone, as with --skip-tokenizer-init",
			[]string{`data: {"output_ids":[1],"meta_info":{"id":"r1","finish_reason":null,"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2}}` + "\n\n", `data: {"output_ids":[1,2],"meta_info":{"finish_reason":{"type":"length","length":2},"prompt_tokens":5,"completion_tokens":3,"cached_tokens":2}}` + "\n\n", ending},
			read{Finish: "length", Texts: []string{"", ""}, Tokens: []int{1, 2}, By: "usage", Usage: usage, Done: true},
		},
		{"a bad count", []string{`data: {"text":"a","meta_info":{"completion_tokens":"x"}}` + "\n\n"}, read{Malformed: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readOf(traceOf(t, "sglang", 200, tt.pieces...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func tok(text, special, end string) string {
	return `data:{"index":1,"token":{"id":13,"text":"` + text + `","logprob":-0.1,"special":` + special + `},` + end + "}\n\n"
}

const goesOn = `"generated_text":null,"details":null`

// Streams composed after TGI's sources and the answers in its integration tests.
func TestTGIsStreams(t *testing.T) {
	last := func(finish string, n int) string {
		return fmt.Sprintf(`"generated_text":" a b","details":{"finish_reason":%q,"generated_tokens":%d,"seed":null,"input_length":5}`, finish, n)
	}
	for _, tt := range []struct {
		name   string
		pieces []string
		want   read
	}{
		{"by its length", []string{tok(" a", "false", goesOn), ":\n\n", tok(" b", "false", last("length", 2))}, read{Text: " a b", Finish: "length", Texts: []string{" a", " b"}, Tokens: []int{1, 1}, By: "token_ids", Usage: stream.Usage{Prompt: 5, Output: 2}, Done: true}},
		{"by itself", []string{tok(" a", "false", goesOn), tok(" b", "false", goesOn), tok("</s>", "true", last("eos_token", 3))}, read{Text: " a b", Finish: "stop", Texts: []string{" a", " b", ""}, Tokens: []int{1, 1, 1}, By: "token_ids", Usage: stream.Usage{Prompt: 5, Output: 3}, Done: true}},
		{"special ones first", []string{tok("<x>", "true", goesOn), tok("", "false", goesOn), tok(" a", "false", last("stop_sequence", 3))}, read{Text: " a", Finish: "stop", Texts: []string{"", "", " a"}, Tokens: []int{1, 1, 1}, By: "token_ids", Usage: stream.Usage{Prompt: 5, Output: 3}, Done: true}},
		{"one event", []string{tok("</s>", "true", last("eos_token", 1))}, read{Finish: "stop", Texts: []string{""}, Tokens: []int{1}, By: "usage", Usage: stream.Usage{Prompt: 5, Output: 1}, Done: true}},
		{"no details", []string{tok(" a", "false", `"generated_text":" a","details":null`)}, read{Text: " a", Texts: []string{" a"}, Tokens: []int{1}, By: "token_ids", Done: true}},
		{"cut off", []string{tok(" a", "false", goesOn)}, read{Text: " a", Texts: []string{" a"}, Tokens: []int{1}, By: "token_ids"}},
		{"overloaded, inside a 200", []string{`data:{"error":"Model is overloaded","error_type":"overloaded"}` + "\n\n"}, read{Error: "Model is overloaded"}},
		{"a bad count", []string{tok("a", "false", `"details":{"generated_tokens":-1}`)}, read{Malformed: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readOf(traceOf(t, "tgi", 200, tt.pieces...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnginesAllocateNothingInSteadyState(t *testing.T) {
	for name, events := range map[string][]string{
		"sglang": {sg(" a", "1", 1, "null"), sg(" a b", "1,2", 2, "null"), sg(" a b\n", "1,2,3", 3, "null")},
		"tgi":    {tok(" a", "false", goesOn), tok("</s>", "true", goesOn)},
	} {
		p, _ := FindBackend(name)
		s := NewStream(p)
		var raw [][]byte
		for _, e := range events {
			raw = append(raw, []byte(e))
		}
		run := func() {
			s.Reset(0)
			s.Trace.ServerID, s.Trace.Status = "known", 200
			for i, e := range raw {
				s.Body(e, wire.Stamp{At: int64(i)})
			}
		}
		run()
		if n := testing.AllocsPerRun(50, run); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

func FuzzEngines(f *testing.F) {
	f.Add([]byte(sg(" a", "1", 1, "null")+sg(" a b", "1,2", 3, "null")+sg(" c", "3", 4, length)+ending), true)
	f.Add([]byte(sg("a", "-", 1, "null")+sg("aa", "1", 2, "null")+`data: {"text":null,"meta_info":{}}`+"\n\n"+sg("b", "1", 3, length)), true)
	f.Add([]byte(tok(" a", "false", goesOn)+tok("</s>", "true", `"generated_text":"a","details":{"finish_reason":"eos_token","generated_tokens":2,"input_length":5}`)), false)
	f.Fuzz(func(t *testing.T, b []byte, first bool) {
		p := tgiBackend
		if first {
			p = sglangBackend
		}
		s := NewStream(p)
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		s.Body(b, wire.Stamp{})
		s.Finish()
		end := 0
		for _, e := range s.Trace.TextEnds {
			if e < end || e > len(s.Trace.Text) {
				t.Fatalf("ends %v of %d bytes", s.Trace.TextEnds, len(s.Trace.Text))
			}
			end = e
		}
		if len(s.Trace.TextEnds) != len(s.Trace.Events) {
			t.Fatalf("%d ends, %d events", len(s.Trace.TextEnds), len(s.Trace.Events))
		}
		whole, err := p.Unstreamed()
		if err != nil {
			t.Fatal(err)
		}
		s = NewStream(whole)
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		s.Body(b, wire.Stamp{})
		s.Finish()
	})
}

// What the OpenAI-compatible paths of these servers do otherwise, composed after their
// sources; TGI's after the streams in its integration tests.
func TestQuirksOfOpenAICompatibleEngines(t *testing.T) {
	data := func(s string) string { return "data: " + s + "\n\n" }
	for _, tt := range []struct {
		name, backend string
		pieces        []string
		want          read
	}{
		{
			"TGI completions: empty finish reasons, usage with the last choice, its own words", "openai",
			[]string{
				"data:" + `{"object":"text_completion","id":"","created":1,"model":"m","system_fingerprint":"3.3.7-native","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":""}]}` + "\n\n",
				"data:" + `{"object":"text_completion","id":"","choices":[{"index":0,"text":" b","logprobs":null,"finish_reason":"eos_token"}],"usage":{"prompt_tokens":6,"completion_tokens":2,"total_tokens":8}}` + "\n\n",
				ending,
			},
			read{Text: " a b", Finish: "stop", Texts: []string{" a", " b"}, Tokens: []int{-1, -1}, Usage: stream.Usage{Prompt: 6, Output: 2}, Done: true},
		},
		{
			"TGI chat: a role in every chunk, null tool calls, the last text empty", "openai-chat",
			[]string{
				data(`{"id":"","choices":[{"index":0,"delta":{"role":"assistant","content":"OK","tool_calls":null},"logprobs":null,"finish_reason":null}],"usage":null}`),
				data(`{"id":"","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":null},"logprobs":null,"finish_reason":"stop"}],"usage":null}`),
				data(`{"id":"","choices":[],"usage":{"prompt_tokens":39,"completion_tokens":2,"total_tokens":41}}`), ending,
			},
			read{Text: "OK", Finish: "stop", Texts: []string{"OK", "", ""}, Tokens: []int{-1, -1, -1}, Usage: stream.Usage{Prompt: 39, Output: 2}, Done: true},
		},
		{
			"TGI: an error that is a string", "openai-chat",
			[]string{data(`{"error":"Request failed during generation: oops","error_type":"generation"}`), ending},
			read{Error: "Request failed during generation: oops", Done: true},
		},
		{
			"TGI: an error in OpenAI's place", "openai-chat",
			[]string{data(`{"error":{"message":"oops","http_status_code":422}}`), ending},
			read{Error: "oops", Done: true},
		},
		{
			"SGLang chat: matched_stop, both reasoning keys, sglext, reasoning tokens", "openai-chat",
			[]string{
				data(`{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null,"matched_stop":null}],"usage":null}`),
				data(`{"id":"x","choices":[{"index":0,"delta":{"content":null,"reasoning":"hm","reasoning_content":"hm"},"finish_reason":null}]}`),
				data(`{"id":"x","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`),
				data(`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":2}]}`),
				data(`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":null}],"sglext":{"cached_tokens_details":{"device":3,"host":0}}}`),
				data(`{"id":"x","choices":[],"usage":{"prompt_tokens":5,"total_tokens":8,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":3},"reasoning_tokens":1}}`), ending,
			},
			read{Text: "a", Finish: "stop", Texts: []string{"", "", "a", "", "", ""}, Tokens: []int{-1, -1, -1, -1, -1, -1}, Usage: stream.Usage{Prompt: 5, Output: 3, Cached: 3, CachedKnown: true, Reasoning: 1, ReasoningKnown: true}, Done: true},
		},
		{
			"SGLang: a flat error inside another", "openai",
			[]string{data(`{"error":{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}}`), ending},
			read{Error: "too long", Done: true},
		},
		{
			"TensorRT-LLM: a space behind each event, empty reasoning, tokens without text", "openai-chat",
			[]string{
				"data: " + `{"id":"x","choices":[{"index":0,"delta":{"role":"assistant"}}]}` + " \n\n",
				"data: " + `{"id":"x","choices":[{"index":0,"delta":{"content":"a","reasoning_content":""},"avg_decoded_tokens_per_iter":1.0}]}` + " \n\n",
				"data: " + `{"id":"x","choices":[{"index":0,"delta":{"content":"","reasoning_content":""},"finish_reason":"length"}]}` + " \n\n",
				"data: " + `{"id":"x","choices":[],"usage":{"prompt_tokens":5,"total_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}}` + " \n\n",
				ending,
			},
			read{Text: "a", Finish: "length", Texts: []string{"", "a", "", ""}, Tokens: []int{-1, -1, -1, -1}, Usage: stream.Usage{Prompt: 5, Output: 2, Cached: 0, CachedKnown: true}, Done: true},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := traceOf(t, tt.backend, 200, tt.pieces...)
			if diff := cmp.Diff(tt.want, readOf(tr)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
