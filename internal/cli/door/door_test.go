package door

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/sim"
)

// standIn is the simulator with some answers of another server: a status by path, or a body.
func standIn(t *testing.T, status map[string]int, body map[string]string) string {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Adapters = []string{"m", "small:1b", "big:70b"}
	server, err := sim.New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := body[r.URL.Path]; ok {
			_, _ = io.WriteString(w, text)
			return
		}
		if code := status[r.URL.Path]; code != 0 {
			http.Error(w, "no", code)
			return
		}
		server.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.Close()
		server.Close()
	})
	return s.URL
}

// visitOf gives the command line that would be run, and what was said.
func visitOf(t *testing.T, words ...string) (line, said string, err error) {
	t.Helper()
	set, _ := serve.Flags()
	if err := set.Parse(words); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := &visit{Streams: command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &out}, set: set, typed: set.Given()}
	chosen, err := v.choose(t.Context(), command.NewPlain(&out))
	return strings.Join(chosen.Words(), " "), out.String(), err
}

const (
	chat, text, vectors = "/v1/chat/completions", "/v1/completions", "/v1/embeddings"
	ollama              = `{"data":[{"id":"embedder","owned_by":"library"},{"id":"small:1b","owned_by":"library"},{"id":"big:70b","owned_by":"library"}]}`
)

func TestWays(t *testing.T) {
	for name, c := range map[string]struct {
		status map[string]int
		body   map[string]string
		words  string
		want   []string // parts of the command line
		said   string
	}{
		"chat before completions": {want: []string{"--backend openai-chat", "--max-concurrency 8"}, said: "Inferometer sim at "},
		"no chat template":        {status: map[string]int{chat: 400}, want: []string{"--backend vllm"}},
		"no such path":            {status: map[string]int{chat: 404}, want: []string{"--backend vllm"}},
		"vectors only":            {status: map[string]int{chat: 501, text: 501}, want: []string{"--backend openai-embeddings", "--random-input-len 256"}, said: "It embeds "},
		"what was typed wins": {
			words: "--backend openai --max-concurrency 3 --num-prompts 7 --random-input-len 9 --seed 1",
			want:  []string{"--dataset-name random --random-output-len 128 --backend openai --max-concurrency 3 --num-prompts 7 --random-input-len 9 --seed 1"},
		},
		"a rate has no bound on concurrency": {words: "--request-rate 5", want: []string{"--duration 25s"}},
		"a duration needs no bound":          {words: "--duration 2m", want: []string{"--max-concurrency 8", "--duration 2m"}},
		"a few requests fill what they can":  {words: "--num-prompts 3", want: []string{"--max-concurrency 3"}},
		"an unknown server": {
			body: map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/version": "{}", "/metrics": ""},
			want: []string{"--backend openai-chat", "--max-concurrency 4"}, said: "An unidentified server at ",
		},
		"Ollama with a model that is loaded": {
			body: map[string]string{
				"/v1/models": ollama, "/api/version": `{"version":"0.17.4"}`, "/api/ps": `{"models":[{"name":"big:70b"}]}`,
				"/api/tags": `{"models":[{"name":"embedder","details":{"family":"nomic-bert"}}]}`,
			},
			want: []string{"--backend ollama-chat --model big:70b --skip-tokenizer-init", "--max-concurrency 1"}, said: "model big:70b (of 3; --model picks another)",
		},
		"Ollama with none loaded": {
			body: map[string]string{
				"/v1/models": ollama, "/api/version": `{"version":"0.17.4"}`, "/api/ps": `{"models":[]}`,
				"/api/tags": `{"models":[{"name":"embedder","details":{"family":"nomic-bert"}}]}`,
			},
			want: []string{"--model small:1b"}, said: "model small:1b (of 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := standIn(t, c.status, c.body)
			line, said, err := visitOf(t, append([]string{url}, strings.Fields(c.words)...)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range append(c.want, "--base-url "+url) {
				if !strings.Contains(line, part) {
					t.Errorf("no %s in %s", part, line)
				}
			}
			if !strings.Contains(said, c.said) {
				t.Errorf("said %s", said)
			}
			if strings.Contains(c.words, "--request-rate") && strings.Contains(line, "--max-concurrency") {
				t.Errorf("%s", line)
			}
		})
	}
}

func TestWrongServers(t *testing.T) {
	for name, c := range map[string]struct {
		status map[string]int
		body   map[string]string
		want   string
	}{
		"no model":           {body: map[string]string{"/v1/models": `{"data":[]}`, "/api/version": `{"version":"1"}`, "/": "Ollama is running"}, want: "has no model: get one with ollama pull NAME"},
		"a web page":         {body: map[string]string{"/v1/models": "<html>", "/version": "<html>", "/metrics": "<html>"}, want: "it is no inference server: check the address"},
		"a model that fails": {status: map[string]int{chat: 400, text: 400}, want: "does not answer a small request (http_4xx: HTTP 400"}, // it is no embedder for that
		"nothing it knows":   {status: map[string]int{chat: 400, text: 400, vectors: 400}, want: "does not answer a small request (http_4xx: HTTP 400"},
		"an error page":      {body: map[string]string{chat: "<html>\x1b[2J", text: "<html>"}, want: "does not answer a small request"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := visitOf(t, standIn(t, c.status, c.body))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestOthers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"m\u001b[2J"}]}`)
	}))
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	before := usualPorts
	defer func() { usualPorts = before }()
	usualPorts = []string{port, "1"}
	_, _, err := visitOf(t, "127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "nothing is listening at http://127.0.0.1:1 ") || !strings.HasSuffix(err.Error(), "this one answers: inferometer "+server.URL) {
		t.Errorf("%v", err)
	}
}

func TestIs(t *testing.T) {
	for _, line := range []string{"http://h", "localhost:8000 --model x", "--model x localhost:8000", "--base-url=http://h", "--insecure --base-url http://h"} {
		if !Is(strings.Fields(line)) {
			t.Errorf("%s is for a command", line)
		}
	}
	for _, line := range []string{"bench serve http://h", "localhost", "--help", "-x", "run f.yaml"} {
		if Is(strings.Fields(line)) {
			t.Errorf("%s is an address", line)
		}
	}
}
