package target

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The profiler is started as vLLM's client does it: an empty POST with the run's headers.
func TestProfile(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+string(body)+r.Header.Get("Authorization"))
		if r.URL.Path == "/stop_profile" {
			http.Error(w, "no \x1b[31mprofiler", http.StatusNotFound)
		}
	}))
	defer s.Close()
	to := &Target{Base: s.URL, Header: http.Header{"Authorization": {"Bearer key-of-mine"}}, Client: s.Client()}
	if err := to.Profile(context.Background(), "/start_profile"); err != nil {
		t.Error(err)
	}
	err := to.Profile(context.Background(), "/stop_profile")
	if err == nil || !strings.Contains(err.Error(), "HTTP 404") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%v", err)
	}
	want := "POST /start_profile Bearer key-of-mine, POST /stop_profile Bearer key-of-mine"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}
