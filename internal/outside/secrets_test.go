package outside

import (
	"net/http"
	"strings"
	"testing"
)

func TestSecretsAreScrubbed(t *testing.T) {
	s := NewSecrets("sk-0123456789", "sk-0123456789-longer", `pass"w/rd=1`, "short", "")
	for _, c := range []struct{ name, in, want string }{
		{"none", "nothing here", "nothing here"},
		{"as it is", "key sk-0123456789!", "key <redacted>!"},
		{"the longer first", "sk-0123456789-longer", "<redacted>"},
		{"twice", "sk-0123456789 sk-0123456789", "<redacted> <redacted>"},
		{"in JSON", `{"k": "pass\"w/rd=1"}`, `{"k": "<redacted>"}`},
		{"in a query", "/x?k=pass%22w%2Frd%3D1", "/x?k=<redacted>"},
		{"cut off", "the key is sk-0123456", "the key is <redacted>"},
		{"cut off, shown", "the key is sk-0123456…", "the key is <redacted>…"},
		{"too little of it", "the key is sk-0123", "the key is sk-0123"},
		{"a beginning inside", "sk-01234 and more", "sk-01234 and more"},
		{"a short one", "a short word", "a short word"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := s.Scrub(c.in); got != c.want {
				t.Errorf("Scrub(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	if got := s.Word("sk-01\x1b[0m23\u200b456789"); got != Redacted {
		t.Errorf("a secret behind escape sequences: %q", got)
	}
	if got := s.Word(strings.Repeat("x ", 95) + "sk-0123456789-longer"); strings.Contains(got, "sk-012") {
		t.Errorf("a secret that was cut off: %q", got)
	}
	var none *Secrets
	if got := none.Sentence("a\nb"); got != "a b" {
		t.Errorf("without secrets: %q", got)
	}
}

func TestHeaderSecrets(t *testing.T) {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-Token", "header-secret")
	h.Set("Authorization", "Bearer sk-environment")
	s := NewSecrets(HeaderSecrets(h)...)
	if got, want := s.Scrub("Bearer sk-environment, header-secret, application/json"), "Bearer <redacted>, <redacted>, application/json"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	h.Set("Authorization", "Basic dXNlcjpwYXNzd29yZC0x") // user:password-1
	s = NewSecrets(HeaderSecrets(h)...)
	if got, want := s.Scrub("dXNlcjpwYXNzd29yZC0x user:password-1 password-1 user"), "<redacted> <redacted> <redacted> user"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
