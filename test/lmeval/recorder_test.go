package lmeval

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// recorder is a server that keeps the bodies that it is sent. It answers each with the
// same words, each request for likelihoods with none, and has a tokenizer whose tokens
// are bytes, so that lm-eval gets its texts back unchanged.
type recorder struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []body
}

// body is what of a request is compared.
type body struct {
	Prompt      string          `json:"prompt,omitempty"`
	Messages    json.RawMessage `json:"messages,omitempty"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature float64         `json:"temperature"`
	Stop        []string        `json:"stop,omitempty"`
	Echo        bool            `json:"echo,omitempty"`
	Logprobs    int             `json:"logprobs,omitempty"`
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

const words = "The answer is (B). #### 42"

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client is gone
	}
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch req.URL.Path {
	case "/tokenizer_info":
		answer = map[string]any{}
	case "/tokenize":
		answer = map[string]any{"tokens": bytesOf(text)}
	case "/detokenize":
		answer = map[string]any{"prompt": textOf(text)}
	case "/v1/completions", "/v1/chat/completions":
		var b body
		if err := json.Unmarshal(text, &b); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		r.bodies = append(r.bodies, b)
		r.mu.Unlock()
		answer = answered(&b)
	default:
		http.NotFound(w, req)
		return
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return // the client is gone
	}
}

func answered(b *body) any {
	choice := map[string]any{"index": 0, "finish_reason": "stop"}
	switch {
	case b.Messages != nil:
		choice["message"] = map[string]any{"role": "assistant", "content": words}
	case b.Echo:
		choice["text"], choice["logprobs"] = b.Prompt, map[string]any{"token_logprobs": []float64{}, "top_logprobs": []any{}}
	default:
		choice["text"] = words
	}
	return map[string]any{"choices": []any{choice}}
}

func bytesOf(request []byte) []int {
	var in struct{ Prompt string }
	if err := json.Unmarshal(request, &in); err != nil {
		return nil
	}
	tokens := make([]int, len(in.Prompt))
	for i := range len(in.Prompt) {
		tokens[i] = int(in.Prompt[i])
	}
	return tokens
}

func textOf(request []byte) string {
	var in struct{ Tokens []int }
	if err := json.Unmarshal(request, &in); err != nil {
		return fmt.Sprint(err)
	}
	out := make([]byte, len(in.Tokens))
	for i, t := range in.Tokens {
		out[i] = byte(t)
	}
	return string(out)
}
