package tokens

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var _ prompts.Tokenizer = (*Server)(nil)

// fakeServer answers as a server of one dialect does: textField holds the text in questions, and the
// text in answers. A llama.cpp finds no text in vLLM's question, and gives no tokens; a vLLM refuses.
func fakeServer(t *testing.T, f File, textIn, textOut string, strict bool) *httptest.Server {
	mux := http.NewServeMux()
	question := func(w http.ResponseWriter, r *http.Request) map[string]json.RawMessage {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return nil
		}
		var q map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		return q
	}
	mux.HandleFunc("POST /tokenize", func(w http.ResponseWriter, r *http.Request) {
		q := question(w, r)
		if q == nil {
			return
		}
		if q[textIn] == nil && strict {
			http.Error(w, "Field required", http.StatusBadRequest)
			return
		}
		var text string
		_ = json.Unmarshal(q[textIn], &text)
		ids, _ := f.Encode(text)
		_ = json.NewEncoder(w).Encode(map[string]any{"tokens": ids, "count": len(ids)})
	})
	mux.HandleFunc("POST /detokenize", func(w http.ResponseWriter, r *http.Request) {
		q := question(w, r)
		if q == nil {
			return
		}
		var ids []int32
		if err := json.Unmarshal(q["tokens"], &ids); err != nil || ids == nil {
			http.Error(w, "tokens must be a list", http.StatusBadRequest)
			return
		}
		text, _ := f.Decode(ids)
		_ = json.NewEncoder(w).Encode(map[string]any{textOut: text})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestServer(t *testing.T) {
	f := loadSmall(t)
	tests := []struct {
		name, textIn, textOut string
		strict                bool
	}{
		{"vLLM", "prompt", "prompt", true},
		{"llama.cpp", "content", "content", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake := fakeServer(t, f, test.textIn, test.textOut, test.strict)
			header := http.Header{"Authorization": {"Bearer secret"}}
			s, err := NewServer(t.Context(), fake.Client(), fake.URL+"/v1/", "m", header)
			if err != nil {
				t.Fatal(err)
			}
			if s.dialect.name != test.name {
				t.Errorf("taken for %s", s.dialect.name)
			}
			for _, text := range []string{"", "the server sends", "日本語"} {
				want, _ := f.Encode(text)
				got, err := s.Encode(text)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("Encode(%q) = %v, %v; want %v", text, got, err, want)
				}
				if back, err := s.Decode(got); err != nil || back != text {
					t.Errorf("Decode(%v) = %q, %v; want %q", got, back, err, text)
				}
			}
		})
	}
}

func TestNewServerErrors(t *testing.T) {
	f := loadSmall(t)
	tests := []struct {
		name   string
		server *httptest.Server
		want   string
	}{
		{"no such endpoint", httptest.NewServer(http.NotFoundHandler()), "404"},
		{"no key", fakeServer(t, f, "prompt", "prompt", true), "who are you?"},
		{"no JSON", httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })), "invalid character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer test.server.Close()
			_, err := NewServer(t.Context(), test.server.Client(), test.server.URL, "m", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--skip-tokenizer-init") {
				t.Errorf("got %v, want %q and what to do", err, test.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewServer(ctx, http.DefaultClient, "http://127.0.0.1:1", "m", nil); err != context.Canceled {
		t.Errorf("after Ctrl-C: %v, want just that", err)
	}
}

func loadSmall(t *testing.T) File {
	t.Helper()
	f, err := Load(filepath.Join("..", "..", "..", "tokenizer", "testdata", "bytes"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// llama.cpp has few threads for connections, and one that is kept holds one for seconds: questions to it leave none behind.
func TestLlamaGetsNoIdleConnections(t *testing.T) {
	f := loadSmall(t)
	for name, kept := range map[string]bool{"prompt": true, "content": false} {
		fake := httptest.NewUnstartedServer(fakeServer(t, f, name, name, kept).Config.Handler)
		open, most, used := map[net.Conn]bool{}, 0, 0
		var mu sync.Mutex
		fake.Config.ConnState = func(c net.Conn, state http.ConnState) {
			mu.Lock()
			defer mu.Unlock()
			switch state {
			case http.StateActive:
				used++
			case http.StateIdle:
				open[c] = true
			case http.StateClosed:
				delete(open, c)
			}
			most = max(most, len(open))
		}
		fake.Start()
		s, err := NewServer(t.Context(), fake.Client(), fake.URL, "m", http.Header{"Authorization": {"Bearer secret"}})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		most, used = 0, 0
		clear(open)
		mu.Unlock()
		for range 5 {
			if _, err := s.Encode("the server sends"); err != nil {
				t.Fatal(err)
			}
		}
		fake.Close()
		mu.Lock()
		if (most > 0) != kept || used != 5 {
			t.Errorf("%s: %d connections were idle, %d questions", name, most, used)
		}
		mu.Unlock()
	}
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A server that takes the question and never ends its answer does not hold up the run.
func TestNewServerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		if _, err := NewServer(t.Context(), client, "http://server", "m", nil); err == nil || time.Since(began) != probeTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
