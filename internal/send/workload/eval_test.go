package workload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openSums opens a task of five questions.
func openSums(t *testing.T, change func(*Options, *EvalOptions)) Dataset {
	t.Helper()
	dir := t.TempDir()
	var rows strings.Builder
	for i := range 5 {
		fmt.Fprintf(&rows, "{\"q\": \"%d and 1\", \"a\": \"%d\", \"kind\": \"k%d\"}\n", i, i+1, i%2)
	}
	task := "name: sums\ndata: {file: sums.jsonl}\nquestion: \"Question: {{q}}\\nAnswer:\"\nanswer: \"{{a}}\"\ncategory: kind\ngeneration: {max_tokens: 9, stop: [\"\\n\"]}\n" +
		"scores:\n  - {name: all, metric: exact_match, filters: [{function: take_first}]}\n"
	for name, text := range map[string]string{"sums.jsonl": rows.String(), "sums.yaml": task} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Defaults(EvalName)
	own := o.Own.(*EvalOptions)
	o.NumPrompts, own.Task = 0, filepath.Join(dir, "sums.yaml")
	if change != nil {
		change(&o, own)
	}
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func readAll(t *testing.T, d Dataset) (all []*Request) {
	t.Helper()
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// Each question is asked once, in its order, greedily, with the task's limit and stops.
func TestEvalRequests(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Options, *EvalOptions)
		want   int
	}{
		{"all", nil, 5},
		{"the first", func(o *Options, _ *EvalOptions) { o.NumPrompts = 3 }, 3},
		{"no more than there are", func(o *Options, _ *EvalOptions) { o.NumPrompts = 500 }, 5},
		{"a category", func(_ *Options, own *EvalOptions) { own.Category = "k1" }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openSums(t, c.change)
			asked := Task(d)
			if asked == nil || asked.Name != "sums" || asked.Asked != c.want || asked.SHA == "" {
				t.Fatalf("the journal would say %+v", asked)
			}
			all := readAll(t, d)
			if len(all) != c.want || d.Len() != c.want {
				t.Fatalf("%d requests, a length of %d, want %d", len(all), d.Len(), c.want)
			}
			for i, r := range all {
				fields := map[string]string{}
				for _, f := range r.Fields {
					fields[f.Name] = string(f.Value)
				}
				if r.Index != i || r.Question == nil || r.OutputTokens != 9 || fields["temperature"] != "0" && fields["temperature"] != "0.0" || fields["stop"] != `["\n"]` || len(fields) != len(r.Fields) {
					t.Errorf("request %d: %+v with %v", i, r, fields)
				}
			}
		})
	}
}

// A chat gets messages, a completion a prompt; a flag bounds the answer.
func TestEvalChat(t *testing.T) {
	most := 4
	r := readAll(t, openSums(t, func(o *Options, own *EvalOptions) { o.Chat, own.System, own.MaxTokens = true, "Be short.", &most }))[0]
	var messages []struct{ Role string }
	if err := json.Unmarshal(r.Messages, &messages); err != nil || len(messages) != 2 || messages[0].Role != "system" || messages[1].Role != "user" || r.OutputTokens != 4 {
		t.Errorf("%s (%v), %d tokens", r.Messages, err, r.OutputTokens)
	}
	if r := readAll(t, openSums(t, nil))[0]; r.Messages != nil || !strings.HasSuffix(r.Prompt, "Question: 0 and 1\nAnswer:") {
		t.Errorf("a completion is %q with messages %s", r.Prompt, r.Messages)
	}
}

// A warm-up asks nothing of the task, and has no answer that would be kept.
func TestEvalWarmups(t *testing.T) {
	for _, chat := range []bool{false, true} {
		d := openSums(t, func(o *Options, _ *EvalOptions) { o.Chat = chat })
		warmups, err := d.Warmups(3)
		if err != nil || len(warmups) != 3 {
			t.Fatal(len(warmups), err)
		}
		for _, w := range warmups {
			if w.Question != nil || w.Prompt == "" || strings.Contains(w.Prompt+string(w.Messages), "Question") || w.OutputTokens < 1 || (w.Messages != nil) != chat {
				t.Errorf("a warm-up is %+v", w)
			}
		}
		if warmups[0].Prompt == warmups[1].Prompt {
			t.Error("two warm-ups are the same")
		}
		if n := len(readAll(t, d)); n != 5 {
			t.Errorf("warm-ups used up questions: %d are left", n)
		}
	}
}

func TestEvalRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*Options, *EvalOptions)
	}{
		{"no task", "task is needed", func(_ *Options, own *EvalOptions) { own.Task = "" }},
		{"a typo", "gsm8k", func(_ *Options, own *EvalOptions) { own.Task = "gsm8l" }},
		{"one turn without a chat", "backend for chat", func(o *Options, own *EvalOptions) {
			own.Task, own.OneTurn, o.Carries = "gsm8k", true, &Carries{Backend: "openai"}
		}},
	} {
		o := Defaults(EvalName)
		c.change(&o, o.Own.(*EvalOptions))
		if err := Check(&o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
