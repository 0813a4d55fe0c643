package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

func TestTokenizeAndBack(t *testing.T) {
	r := start(t, fast())
	for _, text := range []string{
		"", "the", " the of and", "Hello, world!", "naïve 東京 😀 \"x\"\n\t\\", strings.Repeat(" a and an", 50), "\x00\x7f",
	} {
		body, _ := json.Marshal(map[string]any{"prompt": text, "add_special_tokens": false})
		status, out := r.call("/tokenize", string(body))
		ids := out["tokens"].([]any)
		if status != 200 || int(out["count"].(float64)) != len(ids) || out["max_model_len"].(float64) != 32768 {
			t.Errorf("%q: %d %v", text, status, out)
		}
		body, _ = json.Marshal(map[string]any{"tokens": ids})
		if _, back := r.call("/detokenize", string(body)); back["prompt"] != text {
			t.Errorf("%q came back as %q", text, back["prompt"])
		}
	}
	if status, _ := r.call("/detokenize", `{"tokens":[999999]}`); status != 400 {
		t.Errorf("an id outside the vocabulary gives %d", status)
	}
}

// TestAnswersKeepTheirTokens: a generated text has as many tokens for the
// tokenizer as the server says, and is the same each time.
func TestAnswersKeepTheirTokens(t *testing.T) {
	tok := vocab.NewWordTokenizer()
	pieces, err := vocab.NewPieces(tok)
	if err != nil {
		t.Fatal(err)
	}
	if len(pieces) != len(vocab.Words()) {
		t.Errorf("%d of %d words are one token", len(pieces), len(vocab.Words()))
	}
	for key := range uint64(200) {
		a := vocab.Answer{Pieces: pieces, Key: key}
		text := a.Text(0, 300)
		ids, _ := tok.Encode(text)
		if fmt.Sprint(ids) != fmt.Sprint(a.IDs(0, 300)) {
			t.Fatalf("answer %d has other tokens when it is encoded: %q", key, text)
		}
		if text != (vocab.Answer{Pieces: pieces, Key: key}).Text(0, 300) {
			t.Fatal("not the same text twice")
		}
	}
}

func TestRefusals(t *testing.T) {
	cfg := fast()
	cfg.MaxModelLen = 20
	r := start(t, cfg)
	for _, tt := range []struct {
		body, words string
		status      int
	}{
		{`{"prompt":"the of","max_tokens":19}`, "maximum context length is 20 tokens", 400},
		{`{"prompt":"` + strings.Repeat(" the", 20) + `"}`, "maximum context length is 20 tokens", 400},
		{`{"prompt":"a","model":"gpt"}`, "does not exist", 404},
		{`{"prompt":""}`, "cannot be empty", 400},
		{`{"prompt":["a","b"]}`, "2 prompts", 400},
		{`{"prompt":{"a":1}}`, "prompt must be", 400},
		{`{"prompt":"a","n":2}`, "n is 2", 400},
		{`{"prompt":"a","max_tokens":0}`, "at least 1", 400},
		{`{"prompt":"a","stream_options":{}}`, "Stream options", 400},
		{`{"prompt":`, "not the JSON", 400},
	} {
		status, out := r.call(dialect.PathCompletions, tt.body)
		e, _ := out["error"].(map[string]any)
		if status != tt.status || e == nil || !strings.Contains(fmt.Sprint(e["message"]), tt.words) || e["code"] != float64(tt.status) || e["type"] == "" {
			t.Errorf("%s: %d %v, want %d with %q", tt.body, status, out, tt.status, tt.words)
		}
	}
	for id, rec := range r.truth() {
		if rec.Status < 400 || rec.Fault != "" {
			t.Errorf("%s: truth has status %d, fault %q", id, rec.Status, rec.Fault)
		}
	}
}

func TestWholeAnswers(t *testing.T) {
	r := start(t, fast())
	for _, prompt := range []string{`"hello"`, `["hello"]`, `[104,101,108,108,111]`, `[[104,101,108,108,111]]`} {
		status, out := r.call(dialect.PathCompletions, `{"model":"sim","prompt":`+prompt+`,"max_tokens":7,"logprobs":2,"return_token_ids":true}`)
		if status != 200 {
			t.Fatalf("%s: %v", prompt, out)
		}
		choice := out["choices"].([]any)[0].(map[string]any)
		lp := choice["logprobs"].(map[string]any)
		if n := len(lp["tokens"].([]any)); n != 7 || len(choice["token_ids"].([]any)) != 7 {
			t.Errorf("%s: %d logprobs", prompt, n)
		}
		joined := ""
		for _, tok := range lp["tokens"].([]any) {
			joined += tok.(string)
		}
		if joined != choice["text"] {
			t.Errorf("%s: tokens %q, text %q", prompt, joined, choice["text"])
		}
		if u := out["usage"].(map[string]any); u["completion_tokens"] != 7.0 {
			t.Errorf("%s: usage %v", prompt, u)
		}
	}
	status, out := r.call(dialect.PathEmbeddings, `{"input":["the","of and"]}`)
	if status != 200 || len(out["data"].([]any)) != 2 {
		t.Errorf("embeddings: %d %v", status, out)
	}
}

func TestStreamExtras(t *testing.T) {
	cfg := fast()
	cfg.TokensPerChunk = 3
	r := start(t, cfg)
	resp, err := r.post(dialect.PathChat, "x", `{"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":7,"stream":true,"logprobs":true,"top_logprobs":2,"return_token_ids":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("X-Request-Id") != "x" {
		t.Errorf("request id %q", resp.Header.Get("X-Request-Id"))
	}
	text := drain(t, resp)
	counts := []string{}
	ids := 0
	for line := range strings.Lines(text) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: {")
		if !ok {
			continue
		}
		var m struct {
			Usage struct {
				Completion int `json:"completion_tokens"`
			}
			Choices []struct {
				IDs      []int `json:"token_ids"`
				Logprobs struct{ Content []any }
			}
		}
		if err := json.Unmarshal([]byte("{"+data), &m); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		counts = append(counts, fmt.Sprint(m.Usage.Completion))
		if len(m.Choices) > 0 {
			ids += len(m.Choices[0].IDs)
			if len(m.Choices[0].IDs) != len(m.Choices[0].Logprobs.Content) {
				t.Errorf("ids and logprobs differ in number: %s", data)
			}
		}
	}
	if got := strings.Join(counts, " "); got != "0 3 6 7 7" || ids != 7 {
		t.Errorf("usage in the events: %s, %d ids", got, ids)
	}
	if rec := r.truth()["x"]; fmt.Sprint(rec.Tokens) != "[0 3 3 1 0]" {
		t.Errorf("truth: %v %v", rec.Tokens, rec.Kinds)
	}
}

// TestKeepAlive: streams give their connection back, clean truncations too.
func TestKeepAlive(t *testing.T) {
	for _, secure := range []bool{false, true} {
		cfg := fast()
		cfg.TLS = secure
		r := start(t, cfg)
		for i := range 5 {
			var reused bool
			trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}
			req, _ := http.NewRequest("POST", r.url+dialect.PathCompletions, strings.NewReader(`{"prompt":"a","max_tokens":3,"stream":true}`))
			g := read(r.client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace))))
			if g.err != nil || !g.done || (i > 0) != reused {
				t.Errorf("TLS %v, request %d: %v, done %v, connection reused %v", secure, i, g.err, g.done, reused)
			}
			resp, err := r.client.Get(r.url + "/health")
			if err != nil {
				t.Fatal(err)
			}
			drain(t, resp)
		}
	}
}

// TestUnderAnotherServer: the handler works behind any HTTP/1.1 server.
func TestUnderAnotherServer(t *testing.T) {
	s, err := New(fast(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	for range 3 {
		g := read(web.Client().Post(web.URL+dialect.PathChat, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"max_tokens":3,"stream":true}`)))
		if g.err != nil || !g.done {
			t.Errorf("%+v", g)
		}
	}
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, httptest.NewRequest("POST", dialect.PathCompletions, strings.NewReader(`{"prompt":"x","stream":true}`)))
	if rec.Code != http.StatusHTTPVersionNotSupported {
		t.Errorf("without a connection: %d", rec.Code)
	}
}

// TestPipelined: a request that is sent before the answer to the last has ended
// is not lost.
func TestPipelined(t *testing.T) {
	r := start(t, fast())
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := `{"prompt":"a","max_tokens":20,"stream":true}`
	one := fmt.Sprintf("POST /v1/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if _, err := io.WriteString(c, one+one+one); err != nil {
		t.Fatal(err)
	}
	br := bufio.NewReader(c)
	for i := range 3 {
		g := read(http.ReadResponse(br, nil))
		if g.err != nil || !g.done {
			t.Errorf("answer %d: %+v", i, g)
		}
	}
}

// TestClientLeaves: the truth says "abort", and the engine is rid of the request.
func TestClientLeaves(t *testing.T) {
	for _, engine := range []string{EngineFixed, EngineBatch} {
		cfg := fast()
		cfg.Engine = engine
		cfg.TTFT, cfg.Batch.Base = random.Constant(time.Hour), time.Hour // nothing is ever written
		virtual(t, cfg, func(t *testing.T, r *running, _ *memnet.Network) {
			began := time.Now()
			resp, err := r.post(dialect.PathCompletions, "x", `{"prompt":"a","max_tokens":3,"stream":true}`)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close() // closes the connection
			synctest.Wait()
			if m := r.metrics(); m[`request_success_total{finished_reason="abort"}`] != 1 {
				t.Errorf("%s: the server did not notice: %v", engine, m)
			}
			if rec := r.truth()["x"]; rec.Finish != "abort" || rec.CompletionTokens != 0 || len(rec.Events) != 0 {
				t.Errorf("%s: %+v", engine, rec)
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: noticed after %v", engine, took)
			}
		})
	}
}

func TestStopCutsStreams(t *testing.T) {
	cfg := fast()
	cfg.ITL = random.Constant(50 * time.Millisecond)
	r := start(t, cfg)
	resp, err := r.post(dialect.PathCompletions, "x", `{"prompt":"a","max_tokens":1000,"stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if _, err := io.ReadFull(resp.Body, buf); err != nil { // the first token is here
		t.Fatal(err)
	}
	rec := r.truth()["x"]
	resp.Body.Close()
	if rec.Finish != "abort" || rec.CompletionTokens < 1 || rec.CompletionTokens != len(rec.Events) {
		t.Errorf("%+v", rec)
	}
}

func TestAPIKeyAndModels(t *testing.T) {
	cfg := fast()
	cfg.APIKey, cfg.Root = "secret", "org/model"
	r := start(t, cfg)
	if status, _ := r.call("/tokenize", `{"prompt":"a"}`); status != 401 {
		t.Errorf("without a key: %d", status)
	}
	req, _ := http.NewRequest("GET", r.url+"/v1/models", nil)
	req.Header.Set("Authorization", "Bearer secret")
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if text := drain(t, resp); !strings.Contains(text, `"root":"org/model"`) || !strings.Contains(text, `"max_model_len":32768`) {
		t.Error(text)
	}
}

// countingTokenizer is a foreign tokenizer: the built-in one with other ids.
type countingTokenizer struct {
	vocab.WordTokenizer
	calls atomic.Int32
}

func (c *countingTokenizer) Encode(s string) ([]int32, error) {
	c.calls.Add(1)
	return c.WordTokenizer.Encode(s)
}

func TestForeignTokenizer(t *testing.T) {
	cfg := fast()
	tok := &countingTokenizer{WordTokenizer: *vocab.NewWordTokenizer()}
	cfg.Tokenizer = tok
	r := start(t, cfg)
	before := tok.calls.Load()
	if _, out := r.call("/tokenize", `{"prompt":"the"}`); out["count"] != 2.0 || tok.calls.Load() != before+1 {
		t.Errorf("%v, %d calls", out, tok.calls.Load()-before)
	}
}
