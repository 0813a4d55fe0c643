package protocol

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// dynamo's answers, as 1.6.1 writes them with a prefill and a decode worker.
const (
	dynamoChunk = `data: {"id":"chatcmpl-250ccb9d","choices":[{"index":0,"delta":{"content":"_n","role":"assistant"},"finish_reason":null,"logprobs":null}],"created":1794956677,"model":"mock","object":"chat.completion.chunk","nvext":{"worker_id":{"prefill_worker_id":1878258296434825604,"prefill_dp_rank":0,"decode_worker_id":13533533439788868094,"decode_dp_rank":0}}}` + "\n\n"
	dynamoLast  = `data: {"id":"chatcmpl-250ccb9d","choices":[{"index":0,"delta":{},"finish_reason":"length","logprobs":null}],"created":1794956677,"model":"mock","object":"chat.completion.chunk","nvext":{"worker_id":{"prefill_worker_id":1878258296434825604,"prefill_dp_rank":0,"decode_worker_id":13533533439788868094,"decode_dp_rank":0},"timing":{"request_received_ms":1794956677100,"prefill_wait_time_ms":0.9412809999999999,"prefill_time_ms":18.166301,"ttft_ms":19.107582,"total_time_ms":37.798973,"kv_hit_rate":0.25,"router_queue_depth":0,"kv_transfer_estimated_latency_ms":7.218583}}}` + "\n\n"
	dynamoUsage = `data: {"id":"chatcmpl-250ccb9d","choices":[],"usage":{"prompt_tokens":33,"completion_tokens":3,"total_tokens":36}}` + "\n\ndata: [DONE]\n\n"
	dynamoWhole = `{"id":"cmpl-4f2bcee3","choices":[{"text":" see ($","index":0,"finish_reason":"length"}],"usage":{"prompt_tokens":2,"completion_tokens":2},"nvext":{"worker_id":{"prefill_worker_id":7,"decode_worker_id":7},"timing":{"prefill_wait_time_ms":0.4,"prefill_time_ms":17.5,"ttft_ms":17.9,"kv_hit_rate":0.0}}}`
)

// servedOf is what an answer says of its servers, and the whole trace.
func servedOf(t *testing.T, backend, key string, nvext bool, status int, header http.Header, pieces ...string) (stream.Served, *stream.Trace) {
	t.Helper()
	signs, err := stream.ParseSigns(key)
	if err != nil {
		t.Fatal(err)
	}
	signs.Nvext = nvext
	name, whole := strings.CutSuffix(backend, ", whole")
	b, err := FindBackend(name)
	if err == nil && whole {
		b, err = b.Unstreamed()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(b)
	s.Look(signs)
	s.Reset(0)
	s.Head(status, header, wire.Stamp{At: 1})
	for i, piece := range pieces {
		s.Body([]byte(piece), wire.Stamp{At: int64(10 * (i + 1))})
	}
	s.Finish()
	return s.Trace.Served, &s.Trace
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestWhoServedIt(t *testing.T) {
	named := func(name string) stream.Served { return stream.Served{Replica: name} }
	session := func(text string) http.Header {
		return header("x-session-token", base64.StdEncoding.EncodeToString([]byte(text)))
	}
	const custom = `data: {"id":"a","choices":[{"text":"a"}],"served":{"by":["x",{"pod":"p-1"}],"n":12345678901234567890,"none":null,"deep":{}}}` + "\n\n"
	both := stream.Served{Replica: "13533533439788868094", Prefiller: "1878258296434825604"}
	timed := both
	timed.Queue, timed.TTFT, timed.Transfer, timed.HitRate, timed.HitRateKnown = 941281, 19107582, 7218583, 0.25, true
	for _, tt := range []struct {
		name, backend, key string
		nvext              bool
		status             int
		header             http.Header
		pieces             []string
		want               stream.Served
	}{
		{"nobody says", "vllm", "auto", false, 200, nil, []string{tokenA}, stream.Served{}},
		{"smg", "vllm", "auto", false, 200, header("x-smg-routed-worker-id", "http://127.0.0.1:18001"), []string{tokenA}, named("http://127.0.0.1:18001")},
		{"smg, of an error", "vllm", "auto", false, 503, header("x-smg-routed-worker-id", "http://127.0.0.1:18001"), []string{"no"}, named("http://127.0.0.1:18001")},
		{
			"LiteLLM, by its address, after retries", "openai-chat", "auto", false, 200,
			header("x-litellm-model-id", "4f2b", "x-litellm-model-api-base", "http://127.0.0.1:18001/v1", "x-litellm-attempted-retries", "2", "x-litellm-attempted-fallbacks", "1"), nil,
			stream.Served{Replica: "http://127.0.0.1:18001/v1", Retries: 3},
		},
		{"LiteLLM, by a name", "openai-chat", "auto", false, 200, header("x-litellm-model-id", "4f2b", "x-litellm-attempted-retries", "0"), nil, named("4f2b")},
		{"llm-d's simulator", "vllm", "auto", false, 200, header("x-inference-pod", "decode-0", "x-session-token", "ZGVmL3BvZA=="), nil, named("decode-0")},
		{"ours, with what it believes", "vllm", "auto", false, 200, header("x-inferometer-replica", "r1", "x-inferometer-believed-tokens", "96"), nil, stream.Served{Replica: "r1", Believed: 96, BelievedKnown: true}},
		{"ours, with a prefiller", "vllm", "auto", false, 200, header("x-inferometer-replica", "http://h:2", "x-inferometer-prefiller", "http://h:1"), nil, stream.Served{Replica: "http://h:2", Prefiller: "http://h:1"}},
		{"a router's sign before its worker's", "vllm", "auto", false, 200, header("x-inferometer-replica", "r1", "x-smg-routed-worker-id", "http://h:1"), nil, named("http://h:1")},
		{"llm-d's session", "vllm", "auto", false, 200, session("default/decode-5d8"), nil, named("default/decode-5d8")},
		{"a session that is a secret", "vllm", "auto", false, 200, header("x-session-token", "c2VjcmV0LXRva2Vu"), nil, stream.Served{}},
		{"a session that is no pod", "vllm", "auto", false, 200, session("a/b/c"), nil, stream.Served{}},
		{"a session with another shape", "vllm", "auto", false, 200, session("default/\x1b[31m"), nil, stream.Served{}},
		{"none", "vllm", "none", true, 200, header("x-smg-routed-worker-id", "http://h:1", "x-litellm-attempted-retries", "2"), []string{dynamoLast}, stream.Served{}},
		{"a header of the user's", "vllm", "header:x-served-by", false, 200, header("X-Served-By", "pod-7", "x-smg-routed-worker-id", "http://h:1"), nil, named("pod-7")},
		{"a header that is not there", "vllm", "header:x-served-by", false, 200, header("x-smg-routed-worker-id", "http://h:1"), nil, stream.Served{}},
		{"a value of JSON", "vllm", "json:served.by.1.pod", false, 200, nil, []string{tokenA, custom}, named("p-1")},
		{"a value of JSON, in brackets", "vllm", "json:served.by[1].pod", false, 200, nil, []string{custom}, named("p-1")},
		{"a number of JSON, digit by digit", "vllm", "json:served.n", false, 200, nil, []string{custom, tokenB}, named("12345678901234567890")},
		{"null", "vllm", "json:served.none", false, 200, nil, []string{custom}, stream.Served{}},
		{"an object", "vllm", "json:served.deep", false, 200, nil, []string{custom}, stream.Served{}},
		{"the last wins", "vllm", "json:served", false, 200, nil, []string{"data: {\"served\":\"a\"}\n\n", "data: {\"served\":\"b\"}\n\n"}, named("b")},
		{"a value of an error event", "vllm", "json:error.worker", false, 200, nil, []string{"data: {\"error\":{\"message\":\"no\",\"worker\":\"w1\"}}\n\n"}, named("w1")},
		{"a value of lines", "ollama", "json:host", false, 200, nil, []string{`{"response":"a","done":false,"host":"h2"}` + "\n"}, named("h2")},
		{"a value of a whole answer", "openai, whole", "json:served", false, 200, nil, []string{`{"id":"a","choices":[{"text":"a"}],"served":"w9"}`}, named("w9")},
		{"a value beside vectors", "openai-embeddings", "json:served", false, 200, nil, []string{`{"data":[{"embedding":[1,2]}],"served":"w9"}`}, named("w9")},
		{"Dynamo", "openai-chat", "auto", true, 200, nil, []string{dynamoChunk, dynamoLast, dynamoUsage}, timed},
		{"Dynamo, cut short", "openai-chat", "auto", true, 200, nil, []string{dynamoChunk}, both},
		{"Dynamo, one worker for both", "openai, whole", "auto", true, 200, nil, []string{dynamoWhole}, stream.Served{Replica: "7", Queue: 400_000, TTFT: 17_900_000, HitRateKnown: true}},
		{"Dynamo, not asked by us", "openai-chat", "auto", false, 200, nil, []string{dynamoChunk, dynamoLast}, stream.Served{}},
		{"an absurd number of retries", "vllm", "auto", false, 200, header("x-litellm-attempted-retries", "99999999999999999999", "x-inferometer-believed-tokens", "-1"), nil, stream.Served{}},
		{"absurd times", "openai-chat", "auto", true, 200, nil, []string{`data: {"nvext":{"timing":{"ttft_ms":1e300,"prefill_wait_time_ms":-3,"kv_hit_rate":7,"prefill_time_ms":"x"},"worker_id":[1]}}` + "\n\n"}, stream.Served{}},
		{"an address with a login and a key", "vllm", "auto", false, 200, header("x-litellm-model-api-base", "https://user:word@host:1/v1?api_key=k"), nil, named("https://host:1/v1")},
	} {
		got, trace := servedOf(t, tt.backend, tt.key, tt.nvext, tt.status, tt.header, tt.pieces...)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if tt.name == "Dynamo" && (trace.Timings.PromptNs != 18166301 || !trace.Done || trace.Malformed != nil) {
			t.Errorf("%s: %+v", tt.name, trace)
		}
	}
}

// A stream is used again and again: what one answer says is not the next one's.
func TestWhoServedItIsForgotten(t *testing.T) {
	b, err := FindBackend("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(b)
	s.Look(stream.Signs{Nvext: true})
	s.Reset(0)
	s.Head(200, header("x-smg-routed-worker-id", "http://h:1"), wire.Stamp{At: 1})
	s.Body([]byte(dynamoLast), wire.Stamp{At: 2})
	if s.Reset(0); s.Trace.Served != (stream.Served{}) {
		t.Errorf("%+v", s.Trace.Served)
	}
	if _, known := s.Trace.Served.BelievedTokens(8); known {
		t.Error("a belief is known without an answer")
	}
}

func TestBelievedTokens(t *testing.T) {
	for _, tt := range []struct {
		served stream.Served
		want   int
		known  bool
	}{
		{stream.Served{}, 0, false},
		{stream.Served{HitRate: 0.25, HitRateKnown: true}, 8, true},
		{stream.Served{HitRateKnown: true}, 0, true},
		{stream.Served{Believed: 5, BelievedKnown: true, HitRate: 1, HitRateKnown: true}, 5, true},
	} {
		if n, known := tt.served.BelievedTokens(33); n != tt.want || known != tt.known {
			t.Errorf("%+v: %d %v", tt.served, n, known)
		}
	}
}

// What comes from a router is a short word without what steers a terminal.
func TestReplicaNamesAreBounded(t *testing.T) {
	for _, hostile := range []string{
		strings.Repeat("é", 5000), "\x1b]8;;http://x\x07link\x1b]8;;\x07", "a\u202eb\r\nc", "http://[::1", "://@" + strings.Repeat("x", 999), "\xff\xfe",
	} {
		for _, piece := range []string{"data: {\"w\":\"" + hostile + "\"}\n\n"} {
			for _, key := range []string{"header:w", "json:w"} {
				got, _ := servedOf(t, "vllm", key, false, 200, http.Header{"W": {hostile}}, piece)
				if len(got.Replica) > 200 || !utf8.ValidString(got.Replica) || strings.ContainsAny(got.Replica, "\x1b\r\n\u202e\x07") {
					t.Errorf("%s of %.40q: %q", key, hostile, got.Replica)
				}
			}
		}
	}
}

func TestParseSigns(t *testing.T) {
	for _, wrong := range []string{"headers:x", "x-served-by", "header:", "header:a b", "header:a\nb", "json:", "json:a..b", "json:.", "json:" + strings.Repeat("a.", 30) + "b", "Auto"} {
		if s, err := stream.ParseSigns(wrong); err == nil {
			t.Errorf("%q is %+v", wrong, s)
		}
	}
}
