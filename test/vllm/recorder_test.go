package vllm

import (
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

// recorder is a server that keeps what it is sent and answers each completion
// with two tokens. It has no /tokenize and no /metrics, which both clients can do without.
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
	if !strings.HasSuffix(req.URL.Path, "completions") {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"id":"x","choices":[{"index":0,"text":"a","delta":{"content":"a"},"finish_reason":null}]}`+"\n\n")
	fmt.Fprint(w, `data: {"id":"x","choices":[{"index":0,"text":"b","delta":{"content":"b"},"finish_reason":"length"}]}`+"\n\n")
	fmt.Fprint(w, `data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`+"\n\n")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// take gives the completions since the last call, and the paths of what else was asked.
func (r *recorder) take() (completions []sent, others []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sent {
		if strings.HasSuffix(s.path, "completions") {
			completions = append(completions, s)
		} else {
			others = append(others, s.method+" "+s.path)
		}
	}
	r.sent = nil
	return completions, others
}
