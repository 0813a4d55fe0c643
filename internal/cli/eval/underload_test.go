package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/random"
)

const letterTask = `
name: mini
kind: generate
question: "Q: {{question}}\nA:"
answer: "{{answer}}"
options: "4"
generation: {max_tokens: 64}
scores:
  - name: letter
    metric: exact_match
    filters: [{function: regex, pattern: "answer is \\(?([A-D])\\)?"}, {function: take_first}]
`

// place of a task with n questions: the flags that ask it.
func letters(t *testing.T, n int) []string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"question":"Which is number %d?","answer":"%c"}`+"\n", i, 'A'+i*7%4)
	}
	task, questions := filepath.Join(dir, "mini.yaml"), filepath.Join(dir, "questions.jsonl")
	for path, content := range map[string][]byte{task: []byte(letterTask), questions: b.Bytes()} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"--task", task, "--dataset-path", questions}
}

func run(t *testing.T, args ...string) (out, diagnostics string, err error) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var o, e bytes.Buffer
	err = Run(context.Background(), command.Streams{In: strings.NewReader(""), Out: &o, Err: &e}, args)
	return o.String(), e.String(), err
}

// serveKey starts a simulator that answers by a key until the test ends.
func serveKey(t *testing.T, key string, s answers.Settings) (url string) {
	t.Helper()
	f, err := os.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s.Key, err = answers.Read(f); err != nil {
		t.Fatal(err)
	}
	cfg := sim.DefaultConfig()
	cfg.Answers, cfg.TTFT, cfg.ITL = &s, random.Constant(2*time.Millisecond), random.Constant(0)
	server, err := sim.New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := server.Unknown(); n > 0 {
			t.Errorf("%d prompts were not in the key", n)
		}
	})
	return "http://" + l.Addr().String()
}

func TestUnderLoad(t *testing.T) {
	const n = 200
	flags := letters(t, n)
	key := filepath.Join(t.TempDir(), "key.jsonl")
	if _, words, err := run(t, append(flags, "--write-key", key)...); err != nil {
		t.Fatalf("%v\n%s", err, words)
	}
	for _, flips := range []float64{0, 0.3} {
		seed := rand.Uint64()
		url := serveKey(t, key, answers.Settings{Accuracy: 0.7, Seed: seed, LoadFlips: flips})
		dir := t.TempDir()
		out, words, err := run(t, append(flags, "--base-url", url, "--under-load", "--under-load-repeat", "--run-dir", dir, "--format", "json", "--quiet")...)
		if err != nil {
			t.Fatalf("%v\n%s", err, words)
		}
		var l Loaded
		if err := json.Unmarshal([]byte(out), &l); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, underLoad)); err != nil || string(kept) != out {
			t.Errorf("the file: %v, %s", err, kept)
		}
		if l.Noise == nil || *l.Noise.Texts != 0 || l.Changes.Questions != n || l.Concurrency != 8 {
			t.Errorf("flips %v: %s", flips, out)
		}
		// An answer that is drawn anew is another one unless it is right both times, or the same wrong one.
		want := n * flips * (1 - 0.7*0.7 - 0.3*0.3/3)
		got := float64(*l.Changes.Answers)
		if *l.Changes.Texts != *l.Changes.Answers || math.Abs(got-want) > 5*math.Sqrt(want)+want/20 {
			t.Errorf("flips %v, seed %d: %v answers changed, about %.0f are to", flips, seed, got, want)
		}
		if flips == 0 && (l.Changes.Lost+l.Changes.Gained > 0 || l.Changes.P != 1) {
			t.Errorf("nothing changes, and: %s", out)
		}
	}
}

func TestUnderLoadWords(t *testing.T) {
	flags := letters(t, 40)
	key := filepath.Join(t.TempDir(), "key.jsonl")
	if _, words, err := run(t, append(flags, "--write-key", key)...); err != nil {
		t.Fatalf("%v\n%s", err, words)
	}
	url := serveKey(t, key, answers.Settings{Accuracy: 0.5, LoadFlips: 1})
	dir := t.TempDir()
	out, words, err := run(t, append(flags, "--base-url", url, "--under-load", "--max-concurrency", "5", "--run-dir", dir)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, words)
	}
	for _, want := range []string{
		"mini, greedy: 1 at a time, then 5 at a time\n", "Answered both times: 40 of 40 questions\n", "\nAnswers that changed:  ", "McNemar's p ",
		"--under-load-repeat asks twice", "from where the texts part:\n  alone:      (", "Runs: " + filepath.Join(dir, "alone") + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out[strings.Index(out, "Under load"):])
		}
	}
	if _, _, err := run(t, append(flags, "--base-url", url, "--under-load", "--run-dir", dir)...); err == nil || !strings.Contains(err.Error(), "holds alone already") {
		t.Errorf("the same folder again: %v", err)
	}
}

func TestUnderLoadRefuses(t *testing.T) {
	flags := letters(t, 3)
	dir := filepath.Join(t.TempDir(), "new")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--under-load"}, "needs --run-dir"},
		{[]string{"--under-load", "--run-dir", dir, "--max-concurrency", "1"}, "is no load"},
		{[]string{"--under-load", "--run-dir", dir, "--temperature", "0.7"}, "change by themselves"},
		{[]string{"--under-load", "--run-dir", dir, "--request-rate", "5"}, "can't be used with --under-load"},
		{[]string{"--under-load", "--run-dir", dir, "--dry-run"}, "can't be used with --under-load"},
		{[]string{"--under-load", "--run-dir", dir, "--format", "vllm"}, "use table or json"},
		{[]string{"--under-load-repeat"}, "only with --under-load"},
		{[]string{"--write-key", flags[1]}, "is there already"},
		{[]string{"--write-key", dir, "--under-load"}, "can't be used with --write-key"},
		{[]string{"--write-key", dir, "--dry-run"}, "can't be used with --write-key"},
		{[]string{"--write-key", ""}, "needs the name of a file"},
	} {
		_, _, err := run(t, append(flags[:4:4], test.args...)...)
		var usage *argv.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.args, err)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made for a run that was refused")
	}
}
