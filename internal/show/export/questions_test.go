package export

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

// written is the folder of a fake run, and what its questions are worth.
func written(t *testing.T, j *fakerun.Journal) (string, *score.Result) {
	t.Helper()
	folder := t.TempDir()
	if err := j.Write(filepath.Join(folder, journal.FileName)); err != nil {
		t.Fatal(err)
	}
	return folder, scored(t, folder)
}

func scored(t *testing.T, folder string) *score.Result {
	t.Helper()
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := measure.Measure(j, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Eval
}

// linesOf are the questions of a folder, and the bytes that were written.
func linesOf(t *testing.T, folder string) ([]questionLine, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := questions(&b, folder, measure.Options{}, &Options{}); err != nil {
		t.Fatal(err)
	}
	var out []questionLine
	d := json.NewDecoder(bytes.NewReader(b.Bytes()))
	for d.More() {
		var l questionLine
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out, b.Bytes()
}

// agrees holds each line against the result: question by question, and the sum of each score.
func agrees(t *testing.T, e *score.Result, lines []questionLine) {
	t.Helper()
	if len(lines) != len(e.Each.Numbers) {
		t.Fatalf("%d lines, %d questions", len(lines), len(e.Each.Numbers))
	}
	right := map[string]int{}
	for i, l := range lines {
		letter := map[bool]byte{true: '1', false: '0'}
		want := e.Each.Right[i]
		got := byte('-')
		if l.Correct != nil {
			if got = letter[*l.Correct]; got == '0' && !l.Scores[0].Found {
				got = 'n'
			}
		}
		if l.Number != e.Each.Numbers[i] || got != want {
			t.Errorf("question %d: %c, the result has %c of %d", l.Number, got, want, e.Each.Numbers[i])
		}
		for _, g := range l.Scores {
			if g.Correct {
				right[g.Name+g.Metric]++
			}
		}
	}
	for _, s := range e.Scores {
		if right[s.Name+s.Metric] != s.Right {
			t.Errorf("%s %s: %d right, the result has %d", s.Name, s.Metric, right[s.Name+s.Metric], s.Right)
		}
	}
}

func TestQuestions(t *testing.T) {
	folder, e := written(t, &fakerun.Journal{N: 40, Words: "one", Categories: 3})
	lines, text := linesOf(t, folder)
	agrees(t, e, lines)
	first := text[:bytes.Index(text, []byte("\n"))]
	const want = `{"n": 0, "id": "q-0 one", "category": "kind 0 one", "right": ["B"], "correct": true, "scores": [{"name": "custom-extract", "metric": "exact_match", "answer": "B", "found": true, "correct": true}, ` +
		`{"name": "last-letter", "metric": "exact_match", "answer": "B", "found": true, "correct": true}], "outcome": "complete", "finish_reason": "stop", "prompt_tokens": 100, "output_tokens": 20, "earlier": true, ` +
		`"hash": "0000000000000000", "text": "Step by step, the answer is (B)."}`
	if d := cmp.Diff(want, string(first)); d != "" {
		t.Error(d)
	}
}

// TestQuestionsOutside: a text is what it was, and yet harmless where it is shown.
func TestQuestionsOutside(t *testing.T) {
	words := "\x1b[31m\u009b2J\u202eabc\r\n<script>=1+1|" + strings.Repeat("long ", 1<<10)
	folder, e := written(t, &fakerun.Journal{N: 16, Words: words, Categories: 3})
	lines, text := linesOf(t, folder)
	agrees(t, e, lines)
	for _, c := range text {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("a byte %#x is in it", c)
		}
	}
	if !strings.HasSuffix(lines[7].Text, words) {
		t.Errorf("the text has become %q", lines[7].Text)
	}
}

// journalOf writes a journal of answers by hand.
func journalOf(t *testing.T, task *journal.Task, answers []journal.Answer, programs []journal.Checked) string {
	t.Helper()
	folder := t.TempDir()
	w, err := journal.Create(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	run := (&fakerun.Journal{N: len(answers), Words: "x"}).Run()
	run.Task = task
	if err := w.Run(run); err != nil {
		t.Fatal(err)
	}
	for i := range answers {
		r := &journal.Request{Index: i, ID: "x", Outcome: answers[i].Outcome, End: int64(i) + 1}
		w.AppendWaiting(journal.AppendRequest(journal.AppendAnswer(nil, &answers[i]), r))
	}
	for i := range programs {
		if err := w.Checked(&programs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(&journal.End{At: 100, Sent: len(answers)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestQuestionsAskedTwice: of a question that failed before it was answered, the answer counts.
func TestQuestionsAskedTwice(t *testing.T) {
	task := (&fakerun.Journal{N: 3, Words: "x", Categories: 1}).Run().Task
	q := func(n int) journal.Question { return journal.Question{Number: n, Right: []string{"B"}} }
	folder := journalOf(t, task, []journal.Answer{
		{Index: 0, Question: q(0), Outcome: journal.Truncated, Text: "the answer is (C)"},
		{Index: 1, Question: q(1), Outcome: journal.Truncated},
		{Index: 2, Question: q(0), Outcome: journal.Complete, Text: "the answer is (B)"},
		{Index: 3, Question: q(1), Outcome: journal.HTTP5xx},
		{Index: 4, Question: q(0), Outcome: journal.Complete, Text: "the answer is (C)"},
	}, nil)
	lines, _ := linesOf(t, folder)
	agrees(t, scored(t, folder), lines)
	if len(lines) != 2 || lines[0].Text != "the answer is (B)" || lines[1].Outcome != string(journal.HTTP5xx) || lines[1].Correct != nil {
		t.Errorf("%+v", lines)
	}
}

// TestQuestionsOfChoices: the requests of a question are one line, whatever their order.
func TestQuestionsOfChoices(t *testing.T) {
	task := &journal.Task{Name: "choices", Kind: journal.TaskChoice, Asked: 2, Scores: []journal.Score{{Name: "none", Metric: journal.MetricAcc}, {Name: "none", Metric: journal.MetricAccNorm}}}
	choice := func(i, n, choice int, logprob float64, length int) journal.Answer {
		a := journal.Answer{Index: i, Outcome: journal.Complete, Prompt: 10, Question: journal.Question{Number: n, Options: 2, Choice: choice, RightChoice: 2, Bytes: length, Characters: length}, Logprob: &logprob}
		if math.IsNaN(logprob) {
			a.Logprob, a.Outcome = nil, journal.Truncated
		}
		return a
	}
	folder := journalOf(t, task, []journal.Answer{
		choice(0, 1, 1, -5, 1), choice(1, 0, 2, -3, 6), choice(2, 0, 1, -2, 2), choice(3, 1, 2, math.NaN(), 1),
	}, nil)
	lines, _ := linesOf(t, folder)
	agrees(t, scored(t, folder), lines)
	if l := lines[0]; len(lines) != 2 || *l.Correct || l.Scores[0].Answer != "1" || l.Scores[1].Answer != "2" || !l.Scores[1].Correct || l.Prompt != 20 || *l.Logprobs[1] != -3 || l.Right[0] != "2" {
		t.Errorf("%+v", lines)
	}
	if l := lines[1]; l.Correct != nil || l.Outcome != string(journal.Truncated) || l.Logprobs[1] != nil {
		t.Errorf("%+v", l)
	}
}

func TestQuestionsOfPrograms(t *testing.T) {
	task := &journal.Task{Name: "programs", Kind: journal.TaskCode, Asked: 3, Scores: []journal.Score{{Name: "none", Metric: journal.MetricPass}}}
	folder := journalOf(t, task, []journal.Answer{
		{Index: 0, Question: journal.Question{Number: 0}, Outcome: journal.Complete, Text: "return 1"},
		{Index: 1, Question: journal.Question{Number: 1}, Outcome: journal.Complete, Text: "return 2"},
		{Index: 2, Question: journal.Question{Number: 2}, Outcome: journal.Complete, Text: "return 3"},
	}, []journal.Checked{{Index: 1, How: "timeout"}, {Index: 0, Passed: true}})
	lines, _ := linesOf(t, folder)
	agrees(t, scored(t, folder), lines)
	if len(lines) != 3 || !*lines[0].Correct || lines[1].Program.How != "timeout" || *lines[1].Correct || lines[2].Correct != nil || lines[2].Program != nil {
		t.Errorf("%+v", lines)
	}
}

func TestQuestionsOfARunWithout(t *testing.T) {
	folder, _ := written(t, &fakerun.Journal{N: 3, Words: "x"})
	err := questions(&bytes.Buffer{}, folder, measure.Options{}, &Options{})
	if err == nil || !strings.Contains(err.Error(), "its requests were no questions") {
		t.Error(err)
	}
	if err := questions(&bytes.Buffer{}, filepath.Join(folder, "gone"), measure.Options{}, &Options{}); !os.IsNotExist(err) && (err == nil || !strings.Contains(err.Error(), "no such file")) {
		t.Error(err)
	}
}
