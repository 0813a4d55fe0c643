package protocol

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// traceOf runs a whole body through a Stream, each piece with a stamp of its own.
func traceOf(t *testing.T, backend string, status int, pieces ...string) *stream.Trace {
	t.Helper()
	p, err := FindBackend(backend)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(p)
	s.Reset(0)
	s.Head(status, http.Header{}, wire.Stamp{At: 1})
	for i, piece := range pieces {
		s.Body([]byte(piece), wire.Stamp{At: int64(10 * (i + 1)), Lag: 1, Kernel: true})
	}
	s.Finish()
	return &s.Trace
}

const (
	tokenA = `data: {"id":"cmpl-1","choices":[{"index":0,"text":"a"}]}` + "\n\n"
	tokenB = `data: {"id":"cmpl-1","choices":[{"index":0,"text":"b","finish_reason":"length"}]}` + "\n\n"
	usage2 = `data: {"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}` + "\n\n"
	ending = "data: [DONE]\n\n"
)

func TestStreamKeepsATrace(t *testing.T) {
	got := traceOf(t, "vllm", 200, tokenA, tokenB+usage2, ending)
	want := &stream.Trace{
		Status: 200, ServerID: "cmpl-1", Headers: 1,
		Events: []stream.Event{
			{Stamp: wire.Stamp{At: 10, Lag: 1, Kernel: true}, Kind: stream.EventChoices | stream.EventText, Tokens: -1},
			{Stamp: wire.Stamp{At: 20, Lag: 1, Kernel: true}, Kind: stream.EventChoices | stream.EventText | stream.EventFinish, Tokens: -1},
			{Stamp: wire.Stamp{At: 20, Lag: 1, Kernel: true}, Kind: stream.EventUsage, Tokens: -1},
		},
		SharedReads: 1, Text: []byte("ab"), TextEnds: []int{1, 2, 2}, Usage: stream.Usage{Prompt: 5, Output: 2, Cached: 4, CachedKnown: true}, HasUsage: true,
		FinishReason: "length", Done: true, ErrorBody: nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStreamVariants(t *testing.T) {
	type facts struct {
		Text, Finish, Error string
		Kinds               []stream.EventKind
		Tokens              []int
		By                  string
		Usage               stream.Usage
		Done, Malformed     bool
	}
	const text, none = stream.EventChoices | stream.EventText, -1
	tests := []struct {
		name, backend string
		pieces        []string
		want          facts
	}{
		{
			"an event over three reads is stamped by the last", "vllm",
			[]string{tokenA[:7], tokenA[7:20], tokenA[20:]},
			facts{Text: "a", Kinds: []stream.EventKind{text}, Tokens: []int{none}},
		},
		{
			"chat with a role first", "openai-chat",
			[]string{
				`data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n",
				`data: {"choices":[{"delta":{"content":"hé\"\n"}}]}` + "\n\n",
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" + ending,
			},
			facts{
				Text: "hé\"\n", Finish: "stop", Done: true,
				Kinds: []stream.EventKind{stream.EventChoices, text, stream.EventChoices | stream.EventFinish}, Tokens: []int{none, none, none},
			},
		},
		{
			"reasoning under both names, and tool calls", "openai-chat",
			[]string{
				`data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n",
				`data: {"choices":[{"delta":{"reasoning":"hm"}}]}` + "\n\n",
				`data: {"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}` + "\n\n",
			},
			facts{
				Kinds:  []stream.EventKind{stream.EventChoices | stream.EventReasoning, stream.EventChoices | stream.EventReasoning, stream.EventChoices | stream.EventTool},
				Tokens: []int{none, none, none},
			},
		},
		{
			"continuous usage counts each event's tokens", "vllm",
			[]string{
				`data: {"choices":[{"text":"a b"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n",
				`data: {"choices":[{"text":"c","finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":3}}` + "\n\n",
				`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":3}}` + "\n\n",
			},
			facts{
				Text: "a bc", Finish: "length", Usage: stream.Usage{Prompt: 3, Output: 3}, By: "usage",
				Kinds: []stream.EventKind{text | stream.EventUsage, text | stream.EventUsage | stream.EventFinish, stream.EventUsage}, Tokens: []int{2, 1, none},
			},
		},
		{
			"continuous usage that leaves out the role", "openai-chat",
			[]string{
				`data: {"choices":[{"delta":{"role":"assistant","content":""}}],"usage":null}` + "\n\n",
				`data: {"choices":[{"delta":{"content":"a b"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n",
				`data: {"choices":[{"delta":{"content":"c d e"}}],"usage":{"prompt_tokens":3,"completion_tokens":5}}` + "\n\n",
			},
			facts{
				Text: "a bc d e", Usage: stream.Usage{Prompt: 3, Output: 5}, By: "usage",
				Kinds: []stream.EventKind{stream.EventChoices, text | stream.EventUsage, text | stream.EventUsage}, Tokens: []int{none, 2, 3},
			},
		},
		{
			"usage in the last token's event is the whole answer's", "vllm",
			[]string{tokenA, `data: {"choices":[{"text":"b","finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":9}}` + "\n\n"},
			facts{
				Text: "ab", Finish: "length", Usage: stream.Usage{Prompt: 3, Output: 9},
				Kinds: []stream.EventKind{text, text | stream.EventUsage | stream.EventFinish}, Tokens: []int{none, none},
			},
		},
		{
			"logprobs and token ids count", "vllm",
			[]string{
				`data: {"choices":[{"text":"ab","logprobs":{"tokens":["a","b"]}}]}` + "\n\n",
				`data: {"choices":[{"text":"cde","token_ids":[1,2,3]}]}` + "\n\n",
			},
			facts{Text: "abcde", Kinds: []stream.EventKind{text, text}, Tokens: []int{2, 3}, By: "token_ids"},
		},
		{
			"an error event", "vllm",
			[]string{tokenA, `data: {"error":{"message":"out of memory","code":500}}` + "\n\n", ending},
			facts{Text: "a", Error: "out of memory", Done: true, Kinds: []stream.EventKind{text}, Tokens: []int{none}},
		},
		{
			"an error by the event's name", "vllm",
			[]string{"event: error\ndata: it broke\n\n"},
			facts{Error: "it broke"},
		},
		{
			"an error as old vLLM sends it", "vllm",
			[]string{`data: {"object":"error","message":"too long"}` + "\n\n"},
			facts{Error: "too long"},
		},
		{
			"an error as one JSON object", "vllm",
			[]string{`{"error":"model not loaded"}`},
			facts{Error: "model not loaded"},
		},
		{"an answer that is no stream", "vllm", []string{`{"choices":[{"text":"hi"}]}`}, facts{Malformed: true}},
		{"not JSON", "vllm", []string{"data: {oops\n\n"}, facts{Malformed: true}},
		{"done without a blank line after it", "vllm", []string{tokenA, "data: [DONE]"}, facts{Text: "a", Done: true, Kinds: []stream.EventKind{text}, Tokens: []int{none}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := traceOf(t, tt.backend, 200, tt.pieces...)
			got := facts{
				Text: string(tr.Text), Finish: tr.FinishReason, Error: string(tr.ErrorBody), By: tr.TokensBy.String(),
				Usage: tr.Usage, Done: tr.Done, Malformed: tr.Malformed != nil,
			}
			for _, e := range tr.Events {
				got.Kinds, got.Tokens = append(got.Kinds, e.Kind), append(got.Tokens, e.Tokens)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tr.ErrorMark != (tt.want.Error != "") {
				t.Errorf("ErrorMark = %v", tr.ErrorMark)
			}
		})
	}
}

func TestStreamKeepsTheFirst500BytesOfAnErrorBody(t *testing.T) {
	p, _ := FindBackend("vllm")
	s := NewStream(p)
	s.Reset(0)
	s.Head(503, http.Header{"X-Request-Id": {"r-1"}}, wire.Stamp{})
	for _, word := range []string{"x", "y", "z"} { // read to its end, so that the connection can be used again
		if s.Body([]byte(strings.Repeat(word, 300)), wire.Stamp{}) {
			t.Errorf("enough after the %ss", word)
		}
	}
	if !s.Body(make([]byte, 64<<10), wire.Stamp{}) {
		t.Error("an endless error is read for ever")
	}
	if got := string(s.Trace.ErrorBody); got != strings.Repeat("x", 300)+strings.Repeat("y", 200) {
		t.Errorf("kept %d bytes", len(got))
	}
	if s.Trace.ServerID != "r-1" {
		t.Errorf("server id %q", s.Trace.ServerID)
	}
}

func TestStreamAllocatesNothingInSteadyState(t *testing.T) {
	p, _ := FindBackend("openai-chat")
	s := NewStream(p)
	event := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n")
	run := func() {
		s.Reset(0)
		s.Trace.ServerID = "known" // taken from the head once a request
		s.Trace.Status = 200
		for i := range 64 {
			s.Body(event, wire.Stamp{At: int64(i)})
		}
	}
	run()
	if n := testing.AllocsPerRun(50, run); n != 0 {
		t.Errorf("%v allocations in 64 events, want 0", n)
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(tokenA+tokenB+usage2+ending), true)
	f.Add([]byte(`{"error":{"message":"x"}}`), false)
	f.Add([]byte(`data: {"choices":[{"delta":{"reasoning":"a","tool_calls":[{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}]}}]}`+"\n\n"), true)
	f.Fuzz(func(t *testing.T, b []byte, isChat bool) {
		p := openAI
		if isChat {
			p = openAIChat
		}
		s := NewStream(p)
		s.KeepAnswer = isChat
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		s.Body(b, wire.Stamp{})
		s.Finish()
	})
}
