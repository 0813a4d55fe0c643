package task

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// Each built-in task is read, has a score, and says what to give where it has no data.
func TestBuiltIn(t *testing.T) {
	for _, name := range Names() {
		task, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if task.Name != name || len(task.scores) == 0 || task.version == "" {
			t.Errorf("%s has the name %s, version %q and %d scores", name, task.Name, task.version, len(task.scores))
		}
		if task.questions.rows != nil {
			if s, err := task.Open(Options{Shots: new(2)}); err != nil || s.Len() != len(task.questions.rows) {
				t.Errorf("%s, which has its own questions: %v", name, err)
			}
			continue
		}
		if _, err := task.Open(Options{}); err == nil || !strings.Contains(err.Error(), "give a file with --dataset-path") {
			t.Errorf("%s without data: %v", name, err)
		} else if task.needs != "" && !strings.Contains(err.Error(), "--dataset-path, whose rows have question") {
			t.Errorf("%s does not say what its rows must have: %v", name, err)
		}
	}
}

// Data of a built-in task comes from the hub, or from a whole set in a folder.
func TestFromHub(t *testing.T) {
	folder := t.TempDir()
	for split, file := range map[string]string{"test": "gsm8k_test.jsonl", "train": "gsm8k_train.jsonl"} {
		text, err := os.ReadFile(testfiles.Path(t, "accuracy", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(folder, "main"), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "main"), split+"-00000-of-00001.jsonl", string(text))
	}
	want := item(t, opened(t, "gsm8k", Options{
		Data: testfiles.Path(t, "accuracy", "gsm8k_test.jsonl"), Examples: testfiles.Path(t, "accuracy", "gsm8k_train.jsonl"),
	}), 3).Prompt
	asked := 0
	hub := opened(t, "gsm8k", Options{Fetch: func(name string, patterns []string) (string, error) {
		if asked++; name != "openai/gsm8k" {
			t.Errorf("%s is fetched", name)
		}
		return folder, nil
	}})
	if got := item(t, hub, 3).Prompt; got != want || asked == 0 {
		t.Errorf("from the hub the prompt is %q, not %q", got, want)
	}
	if data := hub.Task().Data; data != "openai/gsm8k/main:test" {
		t.Errorf("the data are said to be %s", data)
	}
	if got := item(t, opened(t, "gsm8k", Options{Data: folder}), 3).Prompt; got != want {
		t.Errorf("from a folder the prompt is %q, not %q", got, want)
	}
	task, err := Load("gsm8k")
	if err != nil {
		t.Fatal(err)
	}
	mixed := opened(t, "gsm8k", Options{Data: testfiles.Path(t, "accuracy"), Examples: testfiles.Path(t, "accuracy", "gsm8k_train.jsonl")})
	if notes := mixed.Notes(); len(notes) != 1 || notes[0] != "the questions are of 2 files in the folder, from gsm8k_test.jsonl to mmlu_pro_test.jsonl" {
		t.Errorf("of a folder with two sets the notes are %q", notes)
	}
	_, err = task.Open(Options{Fetch: func(string, []string) (string, error) { return "", errors.New("no way to the hub") }})
	if err == nil || !strings.Contains(err.Error(), "no way to the hub; a local file can be given with --dataset-path") {
		t.Errorf("without a way to the hub: %v", err)
	}
}

// Worked examples are of the question's own category, and only one category is asked where that is said.
func TestCategories(t *testing.T) {
	o := Options{Data: testfiles.Path(t, "accuracy", "mmlu_pro_validation.jsonl"), Examples: testfiles.Path(t, "accuracy", "mmlu_pro_validation.jsonl"), Category: "computer science"}
	s := opened(t, "mmlu_pro", o)
	if n := s.Len(); n != 5 || !s.Task().Limited {
		t.Errorf("%d questions are asked", n)
	}
	got := item(t, s, 2)
	if !strings.Contains(got.Prompt, "about computer science.") || got.Question.Category != "computer science" || got.Question.Options < 2 {
		t.Errorf("the question is %+v", got)
	}
	for _, at := range s.drawn[2] {
		if category := s.pool[at].values["category"]; category != "computer science" {
			t.Errorf("a worked example is of the category %v", category)
		}
	}
	o.Category = "magic"
	task, err := Load("mmlu_pro")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := task.Open(o); err == nil || !strings.Contains(err.Error(), `no question has the category "magic"; there are biology, computer science, math`) {
		t.Errorf("a category that is not there: %v", err)
	}
}

// A program is tested as lm-eval tests it.
func TestProgram(t *testing.T) {
	got := item(t, opened(t, "humaneval", Options{Data: testfiles.Path(t, "accuracy", "humaneval.jsonl")}), 0)
	if got.Question.ID != "HumanEval/0" || len(got.Question.Right) != 0 || !strings.HasPrefix(got.Prompt, "from typing import List") {
		t.Errorf("the question is %+v", got.Question)
	}
	before, after, found := strings.Cut(got.Question.Program, "{{answer}}")
	if !found || before != got.Prompt || !strings.HasSuffix(after, "\ncheck(has_close_elements)") || !strings.Contains(after, "def check(candidate)") {
		t.Errorf("the program is %q", got.Question.Program)
	}
}

// Each choice is a request of its own, and the blanks before it belong to it.
func TestChoices(t *testing.T) {
	folder := t.TempDir()
	data := write(t, folder, "d.jsonl", `{"question": "Sky?", "options": ["blue", "grün"], "answer": "B"}`+"\n"+`{"question": "Sun?", "options": ["a", "b", "c"], "answer": 0}`+"\n")
	s := opened(t, "choice", Options{Data: data})
	if s.Len() != 5 || s.Task().Asked != 2 {
		t.Fatalf("there are %d requests of %d questions", s.Len(), s.Task().Asked)
	}
	got := item(t, s, 1)
	if got.Prompt != "Question: Sky?\nAnswer: grün" || got.Prompt[got.Context:] != " grün" || got.MaxTokens != 1 {
		t.Errorf("the request is %+v", got)
	}
	if q := got.Question; q.Choice != 2 || q.RightChoice != 2 || q.Options != 2 || q.Bytes != 5 || q.Characters != 4 {
		t.Errorf("the question is %+v", q)
	}
	if q := item(t, s, 4).Question; q.Number != 1 || q.Choice != 3 || q.RightChoice != 1 || q.Right[0] != "a" {
		t.Errorf("the last question is %+v", q)
	}
	task, err := Load("choice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := task.Open(Options{Data: data, Chat: true}); err == nil || !strings.Contains(err.Error(), "ask by completions") {
		t.Errorf("as a chat: %v", err)
	}
}

// Letters are right by their number and by themselves, and several answers can be right.
func TestLetters(t *testing.T) {
	folder := t.TempDir()
	data := write(t, folder, "d.jsonl", `{"question": "Sky?", "options": ["red", "blue"], "answer": 1}`+"\n"+`{"question": "Sun?", "options": ["a", "b", "c"], "answer": "C"}`+"\n")
	s := opened(t, "letter", Options{Data: data, Shots: new(1), Examples: data})
	if q := item(t, s, 0).Question; q.Right[0] != "B" || q.Options != 2 {
		t.Errorf("the question is %+v", q)
	}
	if got := item(t, s, 1); got.Question.Right[0] != "C" || !strings.Contains(got.Prompt, "A. a\nB. b\nC. c\n") || !strings.Contains(got.Prompt, "\nThe answer is (B).\n\nSun?") {
		t.Errorf("the request is %+v", got)
	}
	data = write(t, folder, "e.jsonl", `{"question": "Sky?", "answer": ["blue", "azure"]}`+"\n")
	if q := item(t, opened(t, "exact", Options{Data: data}), 0).Question; strings.Join(q.Right, "|") != "blue|azure" {
		t.Errorf("the question is %+v", q)
	}
}

// CSV has the types that Hugging Face's datasets find.
func TestCSV(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "d.csv", "q,label,x,note,t\n\"a, b\",1,1.50,,True\nc,0,2,NA,False\n")
	file := write(t, folder, "t.yaml", `
task: t
dataset_path: csv
dataset_kwargs: {data_files: {test: d.csv}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{q}} {{x}} {{note}} {{t}}"
doc_to_target: label
doc_to_choice: ["no", "yes"]
`)
	got := item(t, opened(t, file, Options{}), 1)
	if got.Prompt != "a, b 1.5 None True yes" || got.Question.RightChoice != 2 {
		t.Errorf("the request is %+v", got)
	}
}

// JSON has the types that Hugging Face's datasets find, of which lm-eval makes its prompts; our own form takes it as it is.
func TestDatasetsTypes(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "d.jsonl", `{"a": 1, "b": "x", "d": "2020-01-01T00:00:00", "e": "2021-02-03"}`+"\n"+`{"a": 2.5, "c": null, "d": "2020-01-02T00:00:00", "e": "2021-02-04"}`+"\n")
	file := write(t, folder, "t.yaml", `
task: t
dataset_path: json
dataset_kwargs: {data_files: {test: d.jsonl}}
test_split: test
doc_to_text: "{{a}} {{b}} {{c}} {{d}} {{e}}"
doc_to_target: a
`)
	s := opened(t, file, Options{})
	for i, want := range []string{"1.0 x None 2020-01-01 00:00:00 2021-02-03 00:00:00", "2.5 None None 2020-01-02 00:00:00 2021-02-04 00:00:00"} {
		if got := item(t, s, i); got.Prompt != want {
			t.Errorf("the prompt is %q, not %q", got.Prompt, want)
		}
	}
	own := write(t, folder, "own.yaml", "name: x\ndata: {file: d.jsonl}\nquestion: \"{{a}} {{d}} {{e}}\"\nanswer: a\n")
	if got := item(t, opened(t, own, Options{}), 0).Prompt; got != "1 2020-01-01T00:00:00 2021-02-03" {
		t.Errorf("the prompt is %q", got)
	}
}
