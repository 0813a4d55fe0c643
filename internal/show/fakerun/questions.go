package fakerun

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
)

// OnAnswer asks for the lines of answers.
func (j *Journal) OnAnswer(see func(*journal.Answer)) { j.answered = see }

// task is what was asked: a letter of four, which two ways of scoring look for.
func (j *Journal) task() *journal.Task {
	return &journal.Task{
		Name: "letters " + j.Words, Version: "2", Kind: journal.TaskGenerate, Shots: 5, Data: "letters.jsonl", SHA: "5ca1ab1e", Asked: j.N + 1,
		Scores: []journal.Score{
			{Name: "custom-extract", Metric: journal.MetricExact, Filters: []journal.Filter{{Function: "regex", Pattern: `answer is \(?([A-J])\)?`}, {Function: "take_first"}}},
			{Name: "last-letter", Metric: journal.MetricExact, Filters: []journal.Filter{{Function: "regex", Pattern: `([A-J])\b`, Select: -1}, {Function: "take_first"}}},
		},
	}
}

// answer is what a request's question got. One more was planned than was asked; the first
// two were asked before the run was killed; some are wrong, without an answer, or cut off.
func (j *Journal) answer(r *journal.Request) *journal.Answer {
	a := &journal.Answer{
		Index: r.Index, Outcome: r.Outcome, FinishReason: "stop", Prompt: 100 + r.Index, Output: 20, Earlier: r.Index < 2,
		Question: journal.Question{
			Number: r.Index, ID: fmt.Sprintf("q-%d %s", r.Index, j.Words), Category: fmt.Sprintf("kind %d %s", r.Index%j.Categories, j.Words), Right: []string{"B"}, Options: 4,
		},
		Hash: fmt.Sprintf("%016x", r.Index),
	}
	if r.Outcome != journal.Complete {
		return a
	}
	switch r.Index % 8 {
	case 5:
		a.Text = "I can't say. " + j.Words
	case 6:
		a.Text, a.FinishReason = "Let us think about B, and then", "length"
	case 7:
		a.Text = "The answer is (C). " + j.Words
	default:
		a.Text = "Step by step, the answer is (B)."
	}
	return a
}
