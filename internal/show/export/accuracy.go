package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/accuracy"
	"github.com/inferometer/inferometer/internal/show/page"
)

// asked says whether the requests of any run were questions.
func asked(runs []page.Run) bool {
	return slices.ContainsFunc(runs, func(r page.Run) bool { return r.Result.Eval != nil })
}

// accuracyColumns are the cells of a run in the table of several: the accuracy with its
// error, and its interval.
func accuracyColumns(e *score.Result) (value, interval string) {
	if e == nil || len(e.Scores) == 0 || e.Scores[0].Value == nil {
		return "–", "–"
	}
	a := &e.Scores[0].Accuracy
	return accuracy.Value(a.Value) + " ± " + accuracy.Value(a.StdErr), accuracy.Interval(a)
}

// manyCategories is how many are listed in Markdown; of more, those with the lowest accuracy.
const manyCategories = 40

// accuracyFigures are what the answers of a run are worth.
func accuracyFigures(b *strings.Builder, e *score.Result) {
	if e == nil {
		return
	}
	fmt.Fprintf(b, "\nTask: %s; %s\n\n| score | accuracy | ± stderr | 95 %% interval | right | of | no answer |\n|---|---:|---:|---|---:|---:|---:|\n", outside.Markdown(accuracy.Task(e)), accuracy.Questions(e))
	for i := range e.Scores {
		accuracyLine(b, accuracy.Title(&e.Scores[i]), &e.Scores[i].Accuracy)
	}
	b.WriteString("\n")
	fmt.Fprintf(b, "- no answer found: %s\n- cut off at the limit: %s\n- tokens per question: %s\n", accuracy.NoAnswer(e), accuracy.Share(e.CutOff, e.Answered), accuracy.Tokens(e))
	for _, n := range accuracy.Notes(e) {
		fmt.Fprintf(b, "- %s: %s\n", outside.Markdown(n.Of), outside.Markdown(n.Text))
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(b, "- warning: %s\n", outside.Markdown(outside.Sentence(w)))
	}
	if len(e.Categories) == 0 {
		return
	}
	shown, more := e.Categories, 0
	if len(shown) > manyCategories {
		shown, more = accuracy.Lowest(shown, manyCategories)
	}
	b.WriteString("\n| category | accuracy | ± stderr | 95 % interval | right | of | no answer |\n|---|---:|---:|---|---:|---:|---:|\n")
	for i := range shown {
		accuracyLine(b, accuracy.Name(shown[i].Name), &shown[i].Accuracy)
	}
	if more > 0 {
		fmt.Fprintf(b, "\n… and %d more, with a higher accuracy\n", more)
	}
}

func accuracyLine(b *strings.Builder, name string, a *score.Accuracy) {
	fmt.Fprintf(b, "| %s | %s | %s | %s | %d | %d | %d |\n", outside.Markdown(name), accuracy.Value(a.Value), accuracy.Value(a.StdErr), accuracy.Interval(a), a.Right, a.Of, a.NoAnswer)
}
