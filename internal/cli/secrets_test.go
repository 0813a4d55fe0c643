package cli

import (
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

func TestSecretsAreTakenOutOfWords(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	r := &serveRun{serveOptions: &serveOptions{Header: []argv.Pair{{Key: "X-Token", Value: "header-secret"}, {Key: "X-Kind", Value: "test"}}}}
	r.header = r.headers(nil)
	got := r.secrets().Scrub("keys: sk-environment, header-secret; this is a test")
	if want := "keys: <redacted>, <redacted>; this is a test"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
