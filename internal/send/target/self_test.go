package target

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server is the same as long as it says the same of itself, whatever the time; and
// another model, version, build or file makes it another one.
func TestSelfTellsServersApart(t *testing.T) {
	base := map[string]string{
		"/v1/models": `{"data": [{"id": "m", "created": 1, "owned_by": "llamacpp", "meta": {"n_params": 7, "size": 14, "n_ctx": 2048}}]}`,
		"/props":     `{"build_info": "b1", "model_path": "/models/m-q4.gguf", "total_slots": 4, "default_generation_settings": {"n_ctx": 512, "seed": 99}}`,
	}
	vllm := map[string]string{"/v1/models": `{"data": [{"id": "m", "created": 1, "owned_by": "vllm", "max_model_len": 100}]}`, "/version": `{"version": "0.9"}`}
	for _, tt := range []struct {
		name      string
		from      map[string]string
		path, was string
		is        string
		same      bool
	}{
		{"another time", base, "/v1/models", `"created": 1`, `"created": 2`, true},
		{"another seed", base, "/props", "99", "98", true},
		{"another model", base, "/v1/models", `"m"`, `"n"`, false},
		{"another quantisation", base, "/v1/models", "14", "28", false},
		{"another build", base, "/props", "b1", "b2", false},
		{"another file", base, "/props", "q4", "q8", false},
		{"other slots", base, "/props", `slots": 4`, `slots": 8`, false},
		{"another version", vllm, "/version", "0.9", "0.10", false},
		{"another context", vllm, "/v1/models", "100", "200", false},
	} {
		changed := map[string]string{}
		for path, text := range tt.from {
			changed[path] = text
		}
		changed[tt.path] = strings.Replace(changed[tt.path], tt.was, tt.is, 1)
		before, after := selfOf(t, tt.from), selfOf(t, changed)
		if before == "" || (before == after) != tt.same {
			t.Errorf("%s: %q, then %q", tt.name, before, after)
		}
	}
}

// What it says is data: one line, without the sequences that steer a terminal, and bounded.
func TestSelfIsOneCleanLine(t *testing.T) {
	got := selfOf(t, map[string]string{
		"/v1/models": `{"data": [{"id": "a\u001b[2Jb\nc` + strings.Repeat("x", 5000) + `", "owned_by": "vllm"}]}`,
		"/version":   `{"version": "1\r\n\u001b]0;evil\u0007"}`,
	})
	if strings.ContainsAny(got, "\x1b\n\r\x07") || len(got) > mostSelf {
		t.Errorf("%q", got)
	}
}

func TestDifferNamesWhatChanged(t *testing.T) {
	for _, tt := range [][4]string{
		{"m; llama.cpp b1; 2 slots", "m; llama.cpp b2; 2 slots", "llama.cpp b1", "llama.cpp b2"},
		{"m", "m; n", "nothing", "n"},
		{"", "m", "nothing", "m"},
	} {
		if a, b := Differ(tt[0], tt[1]); a != tt[2] || b != tt[3] {
			t.Errorf("%q and %q: %q, %q", tt[0], tt[1], a, b)
		}
	}
}

func selfOf(t *testing.T, answers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	text, err := (&Target{Base: server.URL, Client: server.Client()}).Self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}
