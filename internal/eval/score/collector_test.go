package score

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

var letters = journal.Score{Name: "custom-extract", Metric: journal.MetricExact, IgnoreCase: true, IgnorePunctuation: true, Filters: []journal.Filter{
	{Function: "regex", Pattern: `answer is \(?([ABCDEFGHIJ])\)?`}, {Function: "take_first"},
}}

// answerTo is a complete answer to a question with ten options whose right one is B.
func answerTo(number int, text string) *journal.Answer {
	return &journal.Answer{
		Index: number, Outcome: journal.Complete, FinishReason: "stop", Text: text, Prompt: 100, Output: 10,
		Question: journal.Question{Number: number, Right: []string{"B"}, Options: 10, Category: []string{"biology", "law"}[number%2]},
	}
}

func TestCollector(t *testing.T) {
	c := NewCollector(&journal.Task{Name: "mmlu_pro", Kind: journal.TaskGenerate, Asked: 8, Scores: []journal.Score{letters}})
	c.Add(answerTo(3, "so the answer is (B)."))
	c.Add(answerTo(0, "so the answer is B"))
	c.Add(answerTo(1, "so the answer is (C)."))
	c.Add(answerTo(2, "I'm sorry, I can't help with that."))
	failed := answerTo(4, "")
	failed.Outcome = "timeout"
	c.Add(failed)
	cut := answerTo(5, "Let us think")
	cut.FinishReason = "length"
	c.Add(cut)
	again := answerTo(5, "the answer is B")
	c.Add(again)
	r := c.Result()
	if r.Questions != 8 || r.Answered != 5 || r.Unanswered != 3 || r.CutOff != 1 || r.NoAnswer != 2 || r.Refused != 1 || len(r.Warnings) != 1 {
		t.Errorf("%+v", r)
	}
	if r.Each.Right != "10n1-n" || r.PromptTokens != 500 || r.OutputTokens != 50 {
		t.Errorf("%+v", r.Each)
	}
	s := r.Scores[0]
	if s.Right != 2 || s.Of != 5 || *s.Value != 0.4 || *s.Worst != 0.25 || *s.Best != 5.0/8 || s.NoAnswer != 2 {
		t.Errorf("%+v", s)
	}
	if len(r.Categories) != 2 || r.Categories[0].Name != "biology" || r.Categories[0].Of != 2 || r.Categories[1].Right != 1 {
		t.Errorf("%+v", r.Categories)
	}
	if r.Chance == nil || *r.Chance != 0.1 {
		t.Errorf("chance %v", r.Chance)
	}
}
