package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// A model's file that the user names is where its tokenizer is looked for; one that holds none is no error, since
// the server can be asked.
func TestModelFileMayHoldATokenizer(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(model, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, there := spec.LocalTokenizer(model); got != model || !there {
		t.Errorf("localTokenizer(%q) = %q", model, got)
	}
	r := &Run{Spec: &spec.Spec{Server: spec.Server{Model: model}, Load: spec.Load{Unbounded: true}}, host: env(nil), modelID: model}
	if err := r.chooseTokenizer(t.Context()); err != nil || r.tokens.source != tokensByNobody {
		t.Errorf("%s, %v; want none", r.tokens.source, err)
	}
}

// A path that a server gives as its model's root is not opened; the same path from
// the user is.
func TestAServersWordIsNoPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(file, []byte(tinyTokenizer), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ model, want string }{{"", tokensByNobody}, {file, tokensByFile}} {
		r := &Run{Spec: &spec.Spec{Server: spec.Server{Model: c.model}, Load: spec.Load{Unbounded: true}}, host: env(map[string]string{"HF_HOME": t.TempDir()}), modelID: file}
		if err := r.chooseTokenizer(t.Context()); err != nil || r.tokens.source != c.want {
			t.Errorf("--model %q: %s, %v; want %s", c.model, r.tokens.source, err, c.want)
		}
	}
}

// slowly is a dataset whose requests take a second each.
type slowly struct {
	workload.Dataset
	n, of int
}

func (s *slowly) Len() int { return s.of }

func (s *slowly) Next() (*workload.Request, error) {
	if s.n == s.of {
		return nil, io.EOF
	}
	time.Sleep(time.Second)
	s.n++
	return &workload.Request{Index: s.n - 1}, nil
}

// While prompts are made through the server it is said how far they are, and how long the rest takes.
func TestHowLongPromptsTakeIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		p, err := inAdvance(&slowly{of: 30}, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
		if err != nil || len(p.requests) != 30 {
			t.Fatal(err, len(p.requests))
		}
		want := []string{"3 of 30 prompts are made, the rest takes about 27s", "14 of 30 prompts are made, the rest takes about 16s", "25 of 30 prompts are made, the rest takes about 5s"}
		if len(said) != len(want) {
			t.Fatalf("%q", said)
		}
		for i := range want {
			if !strings.HasPrefix(said[i], want[i]) {
				t.Errorf("%q, want %q", said[i], want[i])
			}
		}
	})
}
