package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/inferometer/inferometer/internal/outside"
)

// What a server says gets into the journal as plain words without our secrets,
// wherever it says them.
func TestServersWordsArePlain(t *testing.T) {
	const hostile = `\u001b[2J\u001b]0;x\u0007sk-secret-1 \u202eend`
	stream := func(w http.ResponseWriter, id, finish string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\": \"%s\", \"choices\": [{\"index\": 0, \"text\": \"hi sk-secret-1\", \"finish_reason\": \"%s\"}]}\n\ndata: [DONE]\n\n", id, finish)
	}
	for _, c := range []struct {
		name                     string
		answer                   http.HandlerFunc
		err, id, finish, textual string
	}{
		{name: "an error", answer: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "\x1b[2J\x1b]0;x\x07I don't know\n the key sk-secret-1 \u202eend\x9b", http.StatusUnauthorized)
		}, err: "HTTP 401: I don't know the key <redacted> end\ufffd"},
		{name: "an error in the stream", answer: func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "data: {\"error\": {\"message\": \"\x1b[2Jsk-secret-1\"}}\n\n")
		}, err: "<redacted>"},
		{name: "a header", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "\u009b2Jsk-secret-1\u202e")
			stream(w, "id", "length")
		}, id: "<redacted>", finish: "length", textual: "hi <redacted>"},
		{
			name: "events", answer: func(w http.ResponseWriter, _ *http.Request) { stream(w, hostile, hostile) },
			id: "<redacted> end", finish: "<redacted> end", textual: "hi <redacted>",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(c.answer)
			defer srv.Close()
			cfg, read := setup(t, &server{url: srv.URL}, "vllm", closed(), &prompts{n: 1, tokens: 2})
			cfg.Secrets, cfg.KeepTexts = outside.NewSecrets("sk-secret-1"), true
			if _, err := Run(t.Context(), nil, cfg); err != nil {
				t.Fatal(err)
			}
			records, _ := read()
			r := &records[0]
			text := ""
			if r.Text != nil {
				text = *r.Text
			}
			if r.Error != c.err || r.ServerID != c.id || r.FinishReason != c.finish || text != c.textual {
				t.Errorf("error %q, id %q, finish reason %q, text %q\nwant  %q, id %q, finish reason %q, text %q",
					r.Error, r.ServerID, r.FinishReason, text, c.err, c.id, c.finish, c.textual)
			}
		})
	}
}
