package spec

import (
	"testing"
)

// env is a host whose environment is a map.
func environment(variables map[string]string) *Environment {
	return &Environment{Lookup: func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}}
}

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
		s := Default()
		server, login := SplitLogin(tt.url)
		variables := map[string]string{"OPENAI_API_KEY": tt.key, "LOGIN": login, "HEADER": tt.header}
		s.URLs = []string{server}
		if login != "" {
			s.Login = Value{Env: "LOGIN"}
		}
		if tt.header != "" {
			s.Headers = []Header{{"authorization", Value{Env: "HEADER"}}}
		}
		w, err := s.Wire(environment(variables))
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Header.Get("Authorization"); got != tt.want || server != tt.server {
			t.Errorf("%s: %q to %s", tt.url, got, server)
		}
	}
}

func TestSecretsAreTakenOutOfWords(t *testing.T) {
	s := Default()
	s.Headers = []Header{{"X-Token", Value{Env: "TOKEN"}}, {"X-Kind", Value{Text: "test"}}}
	s.ExtraBody = []byte(`{"a":[{"api_key":{"$env":"BODY"}}],"b":2}`)
	w, err := s.Wire(environment(map[string]string{"OPENAI_API_KEY": "sk-environment", "TOKEN": "header-secret", "BODY": "body-secret"}))
	if err != nil {
		t.Fatal(err)
	}
	got := w.Secrets.Scrub("keys: sk-environment, header-secret, body-secret; this is a test")
	if want := "keys: <redacted>, <redacted>, <redacted>; this is a test"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if want := `{"a":[{"api_key":"body-secret"}],"b":2}`; string(w.Extra) != want {
		t.Errorf("the body is %s, want %s", w.Extra, want)
	}
}

// A protocol may have the key in a header of its own, beside the usual one. Its version is no secret.
func TestKeyInTwoHeaders(t *testing.T) {
	s := Default()
	s.Backend = "anthropic"
	w, err := s.Wire(environment(map[string]string{"OPENAI_API_KEY": "sk-environment"}))
	if err != nil {
		t.Fatal(err)
	}
	if w.Header.Get("X-Api-Key") != "sk-environment" || w.Header.Get("Authorization") != "Bearer sk-environment" || w.Header.Get("Anthropic-Version") == "" {
		t.Errorf("headers %v", w.Header)
	}
	if got, want := w.Secrets.Scrub("sk-environment of 2023-06-01"), "<redacted> of 2023-06-01"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if w, err = s.Wire(environment(nil)); err != nil || w.Header["X-Api-Key"] != nil {
		t.Errorf("without a key: %v %v", w.Header, err)
	}
}

func TestAVariableThatIsNotSetIsAnError(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"header": func(s *Spec) { s.Headers = []Header{{"X", Value{Env: "GONE"}}} },
		"login":  func(s *Spec) { s.Login = Value{Env: "GONE"} },
		"key":    func(s *Spec) { s.APIKey = Value{Env: "GONE"} },
		"proxy":  func(s *Spec) { s.Proxy, s.ProxyLogin = "http://p", Value{Env: "GONE"} },
		"body":   func(s *Spec) { s.ExtraBody = []byte(`{"key":{"$env":"GONE"}}`) },
		"power":  func(s *Spec) { s.Power = Value{Env: "GONE"} },
	} {
		s := Default()
		change(&s)
		if _, err := s.Wire(environment(nil)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
