package spec

import (
	"strings"
	"testing"
)

func TestReadAddress(t *testing.T) {
	for _, c := range []struct{ text, base, endpoint string }{
		{"http://h:8000", "http://h:8000", ""},
		{"http://h:8000/", "http://h:8000", ""},
		{"HTTP://h:8000//", "http://h:8000", ""},
		{"h:8000", "http://h:8000", ""},
		{"localhost:8000/v1", "http://localhost:8000", ""},
		{":8080", "http://127.0.0.1:8080", ""},
		{":8080/v1/", "http://127.0.0.1:8080", ""},
		{"[::1]:8000", "http://[::1]:8000", ""},
		{"http://0.0.0.0:8000", "http://127.0.0.1:8000", ""},
		{"http://[::]:8000/v1", "http://[::1]:8000", ""},
		{"http://0.0.0.0.example:8000", "http://0.0.0.0.example:8000", ""},
		{"https://user:pw@h/v1", "https://user:pw@h", ""},
		{"user:pw@h:8000", "http://user:pw@h:8000", ""},
		{` "http://h:8000/v1/chat/completions", `, "http://h:8000", "/v1/chat/completions"},
		{"<http://h:8000>", "http://h:8000", ""},
		{"“http://h:8000/v1/completions”", "http://h:8000", "/v1/completions"},
		{"http://h/gateway/v1", "http://h/gateway", ""},
		{"http://h/gateway/v1/embeddings", "http://h/gateway", "/v1/embeddings"},
		{"http://h:11434/api/chat", "http://h:11434", "/api/chat"},
		{"http://h:11434/api/generate", "http://h:11434", "/api/generate"},
		{"http://h:30000/generate", "http://h:30000", "/generate"},
		{"http://h:8080/completion", "http://h:8080", "/completion"},
		{"http://h/api/chat/completions", "http://h", "/api/chat/completions"},
		{"https://h/v1beta/openai/chat/completions", "https://h", "/v1beta/openai/chat/completions"},
		{"http://h:8000/v1/models", "http://h:8000", ""},
		{"http://h:8000/docs", "http://h:8000", ""},
		{"http://h:8000/metrics", "http://h:8000", ""},
		{"http://h/mine", "http://h/mine", ""},
	} {
		got, err := ReadAddress("base-url", c.text)
		if err != nil || got.Base != c.base || got.Endpoint != c.endpoint {
			t.Errorf("%s: %+v, %v; want %s and %q", c.text, got, err, c.base, c.endpoint)
		}
		if again, err := ReadAddress("base-url", got.Base); err != nil || again.Base != got.Base || again.Endpoint != "" {
			t.Errorf("%s is not the same when it is read again: %+v, %v", got.Base, again, err)
		}
	}
	for _, text := range []string{"", "nowhere", "localhost", "h/v1", "ftp://h:1", "http://", "http://h:8000?x=1", "http://h:99x", "h:123456", "http:/h:8000", "user:pw@", "a b:80"} {
		if got, err := ReadAddress("base-url", text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		} else if strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: the error shows a password: %v", text, err)
		}
	}
}

func TestLooksLikeAddress(t *testing.T) {
	for _, word := range []string{"http://h", "https://h/v1", "localhost:8000", ":8080", "'h:1'", "[::1]:80", "10.0.0.1:8000/v1", "ftp://h"} {
		if !LooksLikeAddress(word) {
			t.Errorf("%s is no address", word)
		}
	}
	for _, word := range []string{"bench", "run", "localhost", "scenario.yaml", "a:b", "-o", "C:\\x", "results/1", "", ":", "8000"} {
		if LooksLikeAddress(word) {
			t.Errorf("%s is an address", word)
		}
	}
}

func TestTakeAddresses(t *testing.T) {
	for _, c := range []struct {
		url, endpoint, backend   string // backend empty: not given
		want, wantBackend, wrong string
	}{
		{"http://h/v1/chat/completions", "", "", "/v1/chat/completions", "openai-chat", ""},
		{"http://h/v1/completions", "", "", "/v1/completions", "openai", ""},
		{"http://h/v1/completions", "", "vllm", "/v1/completions", "vllm", ""},
		{"http://h/api/chat", "", "", "/api/chat", "ollama-chat", ""},
		{"http://h/api/generate", "", "", "/api/generate", "ollama", ""},
		{"http://h/generate", "", "", "/generate", "sglang", ""},
		{"http://h/v1/embeddings", "", "", "/v1/embeddings", "openai-embeddings", ""},
		{"http://h/openai/chat/completions", "", "", "/openai/chat/completions", "openai-chat", ""},
		{"http://h/v1/chat/completions", "", "auto", "/v1/chat/completions", "auto", ""},
		{"http://h/v1/chat/completions", "/v1/chat/completions", "openai-chat", "/v1/chat/completions", "openai-chat", ""},
		{"http://h/v1", "/chat/completions", "openai-chat", "/v1/chat/completions", "openai-chat", ""},
		{"http://h/v1", "/v1/completions", "", "/v1/completions", "openai", ""},
		{"http://h/v1/chat/completions", "", "ollama", "", "", "--base-url ends with /v1/chat/completions, which --backend ollama does not speak; leave the path out of the address, or use --backend openai-chat"},
		{"http://h/v1/chat/completions", "", "vllm", "", "", "--backend vllm does not speak"},
		{"http://h/v1/chat/completions", "/v1/completions", "", "", "", "ends with /v1/chat/completions, and requests are to go to /v1/completions"},
	} {
		s := Default()
		s.URLs, s.Endpoint = []string{c.url}, c.endpoint
		if c.backend != "" {
			s.Backend = c.backend
		}
		err := s.TakeAddresses(func(flag string) bool { return flag == "backend" && c.backend != "" })
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: %v", c, err)
			}
		case err != nil || s.Endpoint != c.want || s.Backend != c.wantBackend || s.URLs[0] != "http://h":
			t.Errorf("%+v: %s, %s, %s, %v", c, s.URLs[0], s.Endpoint, s.Backend, err)
		}
	}
}
