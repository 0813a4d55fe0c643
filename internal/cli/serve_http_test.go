package cli

import (
	"net/url"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

func TestLogin(t *testing.T) {
	tests := []struct {
		url, key, header string
		server, want     string
	}{
		{"http://h:8000", "", "", "http://h:8000", ""},
		{"http://h:8000", "k", "", "http://h:8000", "Bearer k"},
		{"http://me:p%40ss@h:8000/x", "", "", "http://h:8000/x", "Basic bWU6cEBzcw=="},
		{"http://me@h", "k", "", "http://h", "Basic bWU6"},
		{"http://me:p@h", "k", "Token t", "http://h", "Token t"},
	}
	for _, tt := range tests {
		t.Setenv("OPENAI_API_KEY", tt.key)
		r := &serveRun{serveOptions: &serveOptions{}}
		if tt.header != "" {
			r.Header = []argv.Pair{{Key: "authorization", Value: tt.header}}
		}
		var login *url.Userinfo
		r.server, login = splitLogin(tt.url)
		if got := r.headers(login).Get("Authorization"); got != tt.want || r.server != tt.server {
			t.Errorf("%s: %q to %s", tt.url, got, r.server)
		}
	}
}
