package vllm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// sent is one request as a client sent it.
type sent struct {
	method, path string
	header       http.Header
	body         []byte
}

// recorder is a server that keeps what it is sent and answers each request of a load
// with two tokens, or a vector for each text. It has no /tokenize and no /metrics, which both clients can do without.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	sent []sent
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client is gone
	}
	r.mu.Lock()
	r.sent = append(r.sent, sent{req.Method, req.URL.Path, req.Header.Clone(), body})
	r.mu.Unlock()
	if req.URL.Path == "/v1/models" { // without a list, our preflight asks for a token
		fmt.Fprint(w, `{"object": "list", "data": [{"id": "tiny", "object": "model"}, {"id": "other", "object": "model"}]}`)
		return
	}
	if strings.HasSuffix(req.URL.Path, "_profile") { // a server with a profiler
		return
	}
	switch path := req.URL.Path; {
	case !ofLoad(path):
		http.NotFound(w, req)
	case strings.HasSuffix(path, "embeddings"), strings.HasSuffix(path, "pooling"), strings.HasSuffix(path, "rerank"):
		fmt.Fprintf(w, `{"data": [%s], "usage": {"prompt_tokens": 1, "total_tokens": 1}}`, strings.Repeat(`{"embedding": [1.0]}, `, texts(body)-1)+`{"embedding": [1.0]}`)
	case strings.HasSuffix(path, "responses"):
		w.Header().Set("Content-Type", "text/event-stream")
		for _, words := range []string{"a", "b"} {
			fmt.Fprintf(w, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":%q}\n\n", words)
		}
		fmt.Fprint(w, "event: response.completed\n"+`data: {"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},`+
			`"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}}`+"\n\n")
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"id":"x","choices":[{"index":0,"text":"a","delta":{"content":"a"},"finish_reason":null}]}`+"\n\n")
		fmt.Fprint(w, `data: {"id":"x","choices":[{"index":0,"text":"b","delta":{"content":"b"},"finish_reason":"length"}]}`+"\n\n")
		fmt.Fprint(w, `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// texts is how many texts a pooling request has.
func texts(body []byte) int {
	var q struct {
		Input     json.RawMessage
		Documents []string
	}
	if json.Unmarshal(body, &q) != nil {
		return 1
	}
	var list []string
	if json.Unmarshal(q.Input, &list) == nil {
		return len(list)
	}
	return max(1, len(q.Documents))
}

// ofLoad says whether a load sends its requests to the path.
func ofLoad(path string) bool {
	for _, end := range []string{"completions", "responses", "embeddings", "pooling", "rerank", "transcriptions"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// take gives the requests of a load since the last call, and the paths of what else was asked.
func (r *recorder) take() (load []sent, others []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sent {
		if ofLoad(s.path) {
			load = append(load, s)
		} else {
			others = append(others, s.method+" "+s.path)
		}
	}
	r.sent = nil
	return load, others
}
