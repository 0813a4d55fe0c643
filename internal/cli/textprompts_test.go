package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve/batches"
)

// textServer answers as Ollama does: prompts are texts, ignore_eos is not known, and
// the model may end its answer when it likes. owner is that of its model.
func textServer(t *testing.T, owner string, stops int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Prompt    json.RawMessage `json:"prompt"`
			MaxTokens int             `json:"max_tokens"`
		}
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprintf(w, `{"object": "list", "data": [{"id": "small:latest", "owned_by": %q}]}`, owner)
		case "/v1/completions":
			text := ""
			if json.NewDecoder(r.Body).Decode(&body) != nil || json.Unmarshal(body.Prompt, &text) != nil {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"message":"json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string"}}`)
				return
			}
			stream(w, len(strings.Fields(text)), min(body.MaxTokens, stops))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func stream(w http.ResponseWriter, prompt, tokens int) {
	w.Header().Set("Content-Type", "text/event-stream")
	for range tokens {
		time.Sleep(5 * time.Millisecond) // its pace: tokens that come all at once have no rate
		fmt.Fprint(w, "data: {\"choices\": [{\"text\": \" word\", \"finish_reason\": null}]}\n\n")
		w.(http.Flusher).Flush()
	}
	fmt.Fprintf(w, "data: {\"choices\": [{\"text\": \"\", \"finish_reason\": \"stop\"}]}\n\n")
	fmt.Fprintf(w, "data: {\"choices\": [], \"usage\": {\"prompt_tokens\": %d, \"completion_tokens\": %d}}\n\ndata: [DONE]\n\n", prompt, tokens)
}

// bench latency and bench shapes work where prompts must be texts; and where that is
// not known beforehand, the flag that makes them work is named.
func TestPromptsAsTexts(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	ollama, other := textServer(t, "library", 1000), textServer(t, "someone", 1000)
	latency := []string{"--num-iters", "2", "--num-iters-warmup", "0", "--batch-size", "2", "--input-len", "20", "--output-len", "5"}
	shapes := []string{"-p", "16", "-n", "8", "-r", "2"}
	for _, tt := range []struct {
		name      string
		run       func(s command.Streams) error
		out, fail string
	}{
		{"latency on Ollama", func(s command.Streams) error {
			return batches.Latency(t.Context(), s, append(latency, "--base-url", ollama))
		}, "Avg latency: ", ""},
		{"shapes on Ollama", func(s command.Streams) error {
			return batches.Shapes(t.Context(), s, append(shapes, "--base-url", ollama))
		}, "tg8", ""},
		{"latency elsewhere", func(s command.Streams) error {
			return batches.Latency(t.Context(), s, append(latency, "--base-url", other))
		}, "", "--text-prompts"},
		{"shapes elsewhere", func(s command.Streams) error {
			return batches.Shapes(t.Context(), s, append(shapes, "--base-url", other))
		}, "", "--text-prompts"},
		{"latency with the flag", func(s command.Streams) error {
			return batches.Latency(t.Context(), s, append(latency, "--base-url", other, "--text-prompts"))
		}, "Avg latency: ", ""},
		{"shapes with the flag", func(s command.Streams) error {
			return batches.Shapes(t.Context(), s, append(shapes, "--base-url", other, "--text-prompts"))
		}, "pp16", ""},
		// Its model ends the answer after 4 tokens: the rate is still one of 4 tokens.
		{"a model that stops", func(s command.Streams) error {
			return batches.Shapes(t.Context(), s, append(shapes, "--base-url", textServer(t, "library", 4)))
		}, "tg8", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, said bytes.Buffer
			err := tt.run(command.Streams{Out: &out, Err: &said})
			switch {
			case tt.fail == "" && (err != nil || !strings.Contains(out.String(), tt.out)):
				t.Errorf("%v\n%s%s", err, out.String(), said.String())
			case tt.fail == "" && !strings.Contains(said.String(), "note: prompts are texts"):
				t.Errorf("the note is missing: %s", said.String())
			case tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)):
				t.Errorf("%v, want a word of %s", err, tt.fail)
			}
		})
	}
}
