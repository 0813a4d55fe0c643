package simtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim"
)

// A request's truth is there, and within a bubble it took just what the configuration says.
func TestStart(t *testing.T) {
	ask := func(t *testing.T, s *Server) time.Duration {
		t.Helper()
		began := time.Now()
		body, _ := json.Marshal(map[string]any{"model": "sim", "prompt": "hello", "max_tokens": 3, "ignore_eos": true})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/completions", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Request-Id", "mine")
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		took := time.Since(began)
		if truth := s.Truth(); truth["mine"].CompletionTokens != 3 {
			t.Errorf("truth %+v", truth)
		}
		return took
	}
	synctest.Test(t, func(t *testing.T) {
		s := Start(t, &memnet.Network{}, sim.DefaultConfig())
		if took := ask(t, s); took != 70*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
	if s := Start(t, nil, sim.DefaultConfig()); !strings.HasPrefix(s.URL, "http://127.0.0.1:") || ask(t, s) < 70*time.Millisecond {
		t.Errorf("%s", s.URL)
	}
}
