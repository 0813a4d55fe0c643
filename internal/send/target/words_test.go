package target

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a server is asked, what it says is plain words without our secrets.
func TestServersWordsArePlain(t *testing.T) {
	const hostile = "\x1b[2J\x1b]0;x\x07b1\n    base_url: \u202ex sk-secret-1"
	const plain = "b1 base_url: x <redacted>"
	answer, status := "", http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer srv.Close()
	h := http.Header{}
	h.Set("Authorization", "Bearer sk-secret-1")
	target := &Target{Base: srv.URL, Header: h, Client: srv.Client()}
	ctx := context.Background()
	quoted, _ := json.Marshal(hostile)
	word := string(quoted)

	answer = `{"data": [{"id": ` + word + `, "root": ` + word + `, "owned_by": ` + word + `}]}`
	models, err := target.Models(ctx)
	if err != nil || models[0].ID != plain || models[0].Root != plain || models[0].OwnedBy != plain {
		t.Errorf("models %+v, %v", models, err)
	}
	for owner, kind := range owners {
		for _, at := range (Identity{Kind: kind}).Quirks().VersionAt {
			_, field, _ := strings.Cut(at, " ")
			answer = `{"data": [{"owned_by": "` + owner + `"}], "` + field + `": ` + word + `}`
			if got := target.Identify(ctx); got.Kind != kind || got.Version != plain {
				t.Errorf("%s: %+v", kind, got)
			}
		}
	}
	answer = hostile
	if got, err := target.Text(ctx, "/version"); err != nil || got != plain {
		t.Errorf("text %q, %v", got, err)
	}
	if err := target.Ask(ctx, "/v1/completions", "m"); err == nil || !strings.Contains(err.Error(), plain) {
		t.Errorf("an answer that is no JSON: %v", err)
	}
	status = http.StatusTeapot
	for _, err := range []error{target.Healthy(ctx, "/health"), target.Post(ctx, "/reset"), target.Ask(ctx, "/v1/completions", "m")} {
		if err == nil || !strings.HasSuffix(err.Error(), "answered HTTP 418: "+plain) {
			t.Errorf("%v", err)
		}
	}
	m := ParseMetrics([]byte("a{x=\"\x1b[2Jy\"} 1\n"))
	if len(m) != 1 || m[0].Label("x") != "y" {
		t.Errorf("metrics %+v", m)
	}
}

func TestTailIsPlain(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("one\n\x1b[31mtwo\x1b[0m\r\nthree \x1b]0;x\x07\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := (&Process{log: log}).Tail(2), "two\nthree"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
