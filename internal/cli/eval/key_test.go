package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// openTask reads a built-in task over a file of testdata.
func openTask(t *testing.T, name, questions, examples string) (*journal.Task, []asking) {
	t.Helper()
	one, err := task.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := one.Open(task.Options{Data: testfiles.Path(t, "accuracy", questions), Examples: testfiles.Path(t, "accuracy", examples), Seed: 1234})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	var all []asking
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, asking{item.Prompt, item.Question})
	}
	return set.Task(), all
}

// TestKeysOfTasks: what a key calls right is scored as right by each of a task's scores,
// and what it calls wrong by none.
func TestKeysOfTasks(t *testing.T) {
	for _, test := range []struct{ name, questions, examples string }{
		{"gsm8k", "gsm8k_test.jsonl", "gsm8k_train.jsonl"},
		{"mmlu_pro", "mmlu_pro_test.jsonl", "mmlu_pro_validation.jsonl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			one, all := openTask(t, test.name, test.questions, test.examples)
			lines, left, err := keyLines(one, all)
			if err != nil || len(lines) != len(all) || len(left) != 0 {
				t.Fatalf("%d lines of %d questions, %v, %v", len(lines), len(all), left, err)
			}
			asked := make([]texts, len(all))
			for i := range all {
				asked[i].question = &all[i].question
				if lines[i].Prompt != answers.Sum(all[i].prompt) {
					t.Errorf("line %d has another prompt", i)
				}
			}
			verdicts, rights := scored(one, asked, func(i int) string { return lines[i].Right })
			if verdicts != strings.Repeat("1", len(all)) || rights != len(all)*len(one.Scores) {
				t.Errorf("right answers: %s, %d by %d scores", verdicts, rights, len(one.Scores))
			}
			for k := range mostWrongTexts {
				verdicts, rights := scored(one, asked, func(i int) string { return lines[i].Wrong[k%len(lines[i].Wrong)] })
				if verdicts != strings.Repeat("0", len(all)) || rights != 0 {
					t.Errorf("wrong answers %d: %s, %d are right", k, verdicts, rights)
				}
			}
			verdicts, _ = scored(one, asked, func(i int) string { return lines[i].None })
			if verdicts != strings.Repeat("n", len(all)) {
				t.Errorf("no answers: %s", verdicts)
			}
		})
	}
}

func TestOthers(t *testing.T) {
	one := func(q journal.Question) []texts {
		return []texts{{question: &q}, {question: &journal.Question{Right: []string{"else"}}}}
	}
	for _, test := range []struct {
		question journal.Question
		want     []string
	}{
		{journal.Question{Right: []string{"B"}, Options: 4}, []string{"A", "C", "D", "else"}},
		{journal.Question{Right: []string{"(B)"}, Options: 3}, []string{"(A)", "(C)", "else"}},
		{journal.Question{Right: []string{"x = 1,204."}}, []string{"x = 1205.", "x = 1206.", "x = 1211.", "x = 1214.", "else"}},
		{journal.Question{Right: []string{"-3"}}, []string{"-2", "-1", "4", "7", "else"}},
		{journal.Question{Right: []string{"blue"}, Labels: []string{"red", "blue"}}, []string{"red", "else"}},
		{journal.Question{Right: []string{"99999999999999999999999"}}, []string{"else"}},
	} {
		if got := others(one(test.question), 0); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q", test.question, got)
		}
	}
}

func TestKeyOfChoices(t *testing.T) {
	one := &journal.Task{Name: "c", Kind: journal.TaskChoice}
	var all []asking
	for k := 1; k <= 3; k++ {
		all = append(all, asking{strings.Repeat("p", k), journal.Question{Number: 5, Choice: k, Options: 3, RightChoice: 2}})
	}
	all = append(all, all[0]) // the same prompt once more
	lines, left, err := keyLines(one, all)
	if err != nil || len(lines) != 3 || len(left) != 1 || lines[1].Question != "c/5" || !lines[1].Correct || lines[0].Correct || lines[2].Choice != 3 {
		t.Errorf("%+v, %v, %v", lines, left, err)
	}
	if _, _, err := keyLines(&journal.Task{Name: "h", Kind: journal.TaskCode}, all); err == nil {
		t.Error("a key of programs was made")
	}
	if _, _, err := keyLines(&journal.Task{Name: "g", Kind: journal.TaskGenerate, Scores: []journal.Score{{Metric: journal.MetricExact, Filters: []journal.Filter{{Function: "regex", Pattern: "never (x)"}}}}}, all[:1]); err == nil {
		t.Error("a key was made of a task that can't be answered rightly")
	}
}
