package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file of a test's folder.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// opened loads and opens a task.
func opened(t *testing.T, nameOrFile string, o Options) *Set {
	t.Helper()
	task, err := Load(nameOrFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := task.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func item(t *testing.T, s *Set, i int) *Item {
	t.Helper()
	item, err := s.Item(i)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

const sums = `{"q": "1+1", "a": 2, "kind": "easy", "key": "s1"}
{"q": "12*12", "a": 144, "kind": "hard", "key": "s2"}
{"q": "2+2", "a": 4, "kind": "easy", "key": "s3"}
`

func TestOwnForm(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "sums.jsonl", sums)
	write(t, folder, "worked.jsonl", `{"q": "3+3", "a": 6}`+"\n"+`{"q": "0+1", "a": 1}`+"\n")
	file := write(t, folder, "sums.yaml", `
name: sums
version: 1
data: {file: sums.jsonl}
description: "Add up.\n"
question: "Q: {{q}}\nA:"
answer: "{{a}}"
id: key
category: kind
examples: {file: worked.jsonl, shots: 2}
generation: {stop: ["Q:"], max_tokens: 8}
`)
	s := opened(t, file, Options{})
	const want = "Add up.\nQ: 3+3\nA: 6\n\nQ: 0+1\nA: 1\n\nQ: 12*12\nA:"
	got := item(t, s, 1)
	if got.Prompt != want {
		t.Errorf("the prompt is %q, not %q", got.Prompt, want)
	}
	if q := got.Question; q.Number != 1 || q.ID != "s2" || q.Category != "hard" || len(q.Right) != 1 || q.Right[0] != "144" {
		t.Errorf("the question is %+v", q)
	}
	if got.MaxTokens != 8 || len(got.Fields) != 2 || string(got.Fields[0].Value) != `["Q:"]` || string(got.Fields[1].Value) != "0" {
		t.Errorf("it is asked with %d tokens and %+v", got.MaxTokens, got.Fields)
	}
	if n := s.Len(); n != 3 {
		t.Errorf("there are %d questions, not 3", n)
	}
}

func TestChatForms(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "sums.jsonl", sums)
	file := write(t, folder, "sums.yaml", `
name: sums
data: {file: sums.jsonl}
question: "Q: {{q}}\nA:"
answer: "{{a}}"
examples: {shots: 1, rows: [{q: "3+3", a: 6}]}
`)
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"one turn", Options{Chat: true}, `[{"role":"user","content":"Q: 3+3\nA: 6\n\nQ: 1+1\nA:"}]`},
		{
			"turns",
			Options{Chat: true, MultiTurn: true, System: "Be short."},
			`[{"role":"system","content":"Be short."},{"role":"user","content":"Q: 3+3\nA:"},{"role":"assistant","content":"6"},{"role":"user","content":"Q: 1+1\nA:"}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := item(t, opened(t, file, c.o), 0)
			if string(got.Messages) != c.want || !json.Valid(got.Messages) {
				t.Errorf("the messages are %s, not %s", got.Messages, c.want)
			}
		})
	}
}

// Two runs of the same questions can be paired, whatever stands before the questions.
func TestSHA(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "sums.jsonl", sums)
	write(t, folder, "other.jsonl", strings.Replace(sums, "144", "145", 1))
	file := write(t, folder, "sums.yaml", `
name: sums
data: {file: sums.jsonl}
question: "Q: {{q}}\nA:"
answer: "{{a}}"
examples: {shots: 1, rows: [{q: "3+3", a: 6}]}
`)
	none := 0
	base := opened(t, file, Options{}).Task().SHA
	if got := opened(t, file, Options{Chat: true, Shots: &none, System: "x"}).Task().SHA; got != base {
		t.Error("a chat without worked examples has other questions")
	}
	if got := opened(t, file, Options{Data: filepath.Join(folder, "other.jsonl")}).Task().SHA; got == base {
		t.Error("another right answer has the same SHA")
	}
	if got := opened(t, file, Options{Limit: 2}).Task().SHA; got == base {
		t.Error("fewer questions have the same SHA")
	}
}
