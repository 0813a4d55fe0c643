package report

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/accuracy"
)

// setEval adds what the answers are worth; a run without questions has no such key.
func setEval(o *object, e *score.Result) {
	if e != nil {
		o.Set("eval", e)
	}
}

// More categories than fewCategories are not all listed: the lowest are.
const (
	fewCategories    = 20
	lowestCategories = 5
)

// eval prints the same.
func (c *console) eval(r *measure.Result) {
	e := r.Eval
	if e == nil {
		return
	}
	c.center(" Accuracy ", "-")
	c.words("Task: ", accuracy.Task(e))
	c.words("Questions: ", accuracy.Questions(e))
	for i := range e.Scores {
		s := &e.Scores[i]
		c.words("Accuracy, "+accuracy.Title(s)+": ", fmt.Sprintf("%s, %d of %d right", accuracy.Text(&s.Accuracy), s.Right, s.Of))
	}
	c.words("No answer found: ", accuracy.NoAnswer(e))
	c.words("Cut off at the limit: ", accuracy.Share(e.CutOff, e.Answered))
	c.words("Tokens per question: ", accuracy.Tokens(e))
	c.categories(e.Categories)
	for _, note := range accuracy.Notes(e) {
		c.words(note.Of+": ", note.Text)
	}
	for _, w := range e.Warnings {
		if !slices.Contains(r.Warnings, w) {
			c.row("Warning:", outside.Sentence(w))
		}
	}
}

// categories prints all of few, by name, and of many those with the lowest accuracy.
func (c *console) categories(all []score.Category) {
	if len(all) == 0 {
		return
	}
	shown, more, heading := all, 0, "By category:"
	if len(all) > fewCategories {
		shown, more = accuracy.Lowest(all, lowestCategories)
		heading = "By category, the lowest:"
	}
	c.line("%s", heading)
	for i := range shown {
		one := &shown[i]
		c.line("  %s: %s, %d of %d right", accuracy.Name(one.Name), accuracy.Text(&one.Accuracy), one.Right, one.Of)
	}
	if more > 0 {
		c.line("  … %d more", more)
	}
}
