package find

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/plan/plantest"
)

// answering is the address of a server that says what it is and that it is idle. What is sent to it is played by a formula.
func answering(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "m", "owned_by": "vllm"}]}`)
		case "/version":
			fmt.Fprint(w, `{"version": "1"}`)
		case "/metrics":
			fmt.Fprint(w, "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// servers plays each run by the server at its address.
type servers map[string]*plantest.Server

func (s servers) run(ctx context.Context, drain <-chan struct{}, c *bench.Child) (*bench.Outcome, error) {
	return s[c.Spec.URLs[0]].Run(ctx, drain, c)
}

// said is what a command printed, and how it ended.
type said struct {
	t        *testing.T
	out, err bytes.Buffer
	code     int
	text     string // of its error
}

func (s *said) streams() command.Streams { return command.Streams{Out: &s.out, Err: &s.err} }

// ended keeps how a command ended.
func (s *said) ended(err error) {
	if err == nil {
		return
	}
	s.code, s.text = 1, err.Error()
	var coded command.Coded
	if errors.As(err, &coded) {
		s.code = coded.Code
	}
}

// exit checks the exit code and what the error says; empty: there is none.
func (s *said) exit(code int, text string) {
	s.t.Helper()
	if s.code != code || (text == "") != (s.text == "") || !regexp.MustCompile(text).MatchString(s.text) {
		s.t.Fatalf("exit code %d: %q, not %d: %q\n%s%s", s.code, s.text, code, text, &s.err, &s.out)
	}
}

func (s *said) check(where string, b *bytes.Buffer, want bool, patterns []string) {
	s.t.Helper()
	for _, p := range patterns {
		if regexp.MustCompile("(?m)"+p).Match(b.Bytes()) != want {
			s.t.Errorf("%s: %q is there: %v\n%s", where, p, !want, b)
		}
	}
}

func (s *said) stdout(patterns ...string) { s.t.Helper(); s.check("stdout", &s.out, true, patterns) }

func (s *said) stderr(patterns ...string) { s.t.Helper(); s.check("stderr", &s.err, true, patterns) }

func (s *said) noStdout(patterns ...string) { s.t.Helper(); s.check("stdout", &s.out, false, patterns) }

func (s *said) noStderr(patterns ...string) { s.t.Helper(); s.check("stderr", &s.err, false, patterns) }
