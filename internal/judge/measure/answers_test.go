package measure

import (
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// questions is a journal file of a run that asked two questions and had a program checked.
func questions(t *testing.T, task *journal.Task) *journal.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.zst")
	w, err := journal.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	keep(w.Run(&journal.Run{Options: journal.Options{NumPrompts: 2}, Task: task}))
	for i, text := range []string{"42", "41"} {
		r := stream(i, int64(10*i), 5, 6)
		w.Append(journal.AppendAnswer(journal.AppendRequest(nil, &r), &journal.Answer{
			Index: i, Outcome: journal.Complete, Text: text, Question: journal.Question{Number: i, Right: []string{"42"}},
		}))
		keep(w.Checked(&journal.Checked{Index: i, Passed: i == 1}))
	}
	keep(w.Answer(&journal.Answer{Index: 7, Outcome: journal.Complete, Earlier: true, Text: "42", Question: journal.Question{Number: 7, Right: []string{"42"}}}))
	keep(w.End(&journal.End{}))
	keep(w.Close())
	reader, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	return reader
}

func TestAnswersAreScored(t *testing.T) {
	for kind, want := range map[string]string{journal.TaskGenerate: "101", journal.TaskCode: "01-"} {
		r, err := Measure(questions(t, &journal.Task{Name: "sums", Kind: kind, Asked: 3}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Eval == nil || r.Eval.Task != "sums" || r.Eval.Each.Right != want || r.Completed != 2 {
			t.Errorf("%s: %+v", kind, r.Eval)
		}
	}
	r, err := Measure(questions(t, nil), Options{})
	if err != nil || r.Eval != nil {
		t.Errorf("a run without questions: %v %v", r.Eval, err)
	}
}
