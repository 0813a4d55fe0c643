// Package accuracy has the words for what the answers of a run are worth, so that the
// console, Markdown and pages say the same. Names from the journal are cleaned here once
// more and bounded: who shows them only has to escape what its own form gives a meaning.
package accuracy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
)

// Unknown stands for a number that nobody knows.
const Unknown = "unknown"

// Value is a share as accuracies are written: four digits, as lm-eval has them.
func Value(v *float64) string { return digits(v, 4) }

func digits(v *float64, n int) string {
	if v == nil {
		return Unknown
	}
	return strconv.FormatFloat(*v, 'f', n, 64)
}

// Interval is Wilson's: 0.818–0.871.
func Interval(a *score.Accuracy) string {
	if a.Low == nil || a.High == nil {
		return Unknown
	}
	return digits(a.Low, 3) + "–" + digits(a.High, 3)
}

// Text is an accuracy with its error: 0.8466 ± 0.0135 (0.818–0.871).
func Text(a *score.Accuracy) string {
	if a.Value == nil {
		return Unknown
	}
	return fmt.Sprintf("%s ± %s (%s)", Value(a.Value), Value(a.StdErr), Interval(a))
}

// Name is a name of the journal's, short enough for a table.
func Name(name string) string { return outside.Line(name, mostName) }

const mostName = 40

// Title is what a score is called: by its filter, where it has one, else by its metric.
func Title(s *score.Score) string {
	if s.Name == "" || s.Name == "none" {
		return Name(s.Metric)
	}
	return Name(s.Name)
}

// Task says what was asked, and how.
func Task(e *score.Result) string {
	parts := []string{Name(e.Task)}
	if e.Version != "" {
		parts[0] += " " + Name(e.Version)
	}
	parts = append(parts, fmt.Sprintf("%d-shot", e.Shots))
	switch e.Kind {
	case "choice":
		parts = append(parts, "by log-likelihood")
	case "code":
		parts = append(parts, "by running the answer")
	case "generate", "":
	default:
		parts = append(parts, Name(e.Kind))
	}
	if e.Chat {
		parts = append(parts, "as a chat")
	}
	return strings.Join(parts, ", ")
}

// Questions says how many were answered.
func Questions(e *score.Result) string {
	return fmt.Sprintf("%d answered of %d planned", e.Answered, e.Questions)
}

// Share is a part of the answers: 12 of 700 (1.7 %).
func Share(n, of int) string {
	if of <= 0 {
		return Unknown
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*float64(n)/float64(of))
}

// NoAnswer says in how many answers none was found, and how many of them were refusals.
func NoAnswer(e *score.Result) string {
	text := Share(e.NoAnswer, e.Answered)
	if e.Refused > 0 {
		text += fmt.Sprintf(", %d of them refused", e.Refused)
	}
	return text
}

// Tokens says what a question cost. Nobody has counted what is zero.
func Tokens(e *score.Result) string {
	each := func(n int64) string {
		if e.Answered <= 0 || n <= 0 {
			return Unknown
		}
		return strconv.FormatFloat(float64(n)/float64(e.Answered), 'f', 1, 64)
	}
	return fmt.Sprintf("%s of prompt, %s of output", each(e.PromptTokens), each(e.OutputTokens))
}

// Note is what a reader of the scores must know: a word for what it is of, and the words.
type Note struct{ Of, Text string }

// Notes are all of them.
func Notes(e *score.Result) []Note {
	var notes []Note
	for i := range e.Scores {
		if s := &e.Scores[i]; s.Chance != nil && *s.Chance {
			notes = append(notes, Note{"Chance, " + Title(s), fmt.Sprintf("can't be told from chance (guessing gives %s)", digits(e.Chance, 3))})
		}
	}
	if e.Unanswered > 0 {
		text := fmt.Sprintf("%d of %d questions, which count in no share", e.Unanswered, e.Questions)
		if s := e.Scores; len(s) > 0 && s[0].Worst != nil && s[0].Best != nil {
			text += fmt.Sprintf(": the accuracy over all is %s if these are all wrong, and %s if they are all right", digits(s[0].Worst, 3), digits(s[0].Best, 3))
		}
		notes = append(notes, Note{"Unanswered", text})
	}
	if e.Earlier > 0 {
		notes = append(notes, Note{"Earlier", fmt.Sprintf("%d answered in an earlier part of this run: their times count nowhere", e.Earlier)})
	}
	return notes
}

// Lowest are the categories with the lowest accuracy, the lowest first, and how many
// others there are. What is unknown comes last.
func Lowest(all []score.Category, most int) (lowest []score.Category, more int) {
	lowest = slices.Clone(all)
	slices.SortStableFunc(lowest, func(a, b score.Category) int {
		switch {
		case a.Value == nil && b.Value == nil:
			return cmp.Compare(a.Name, b.Name)
		case a.Value == nil:
			return 1
		case b.Value == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(*a.Value, *b.Value), cmp.Compare(a.Name, b.Name))
	})
	if len(lowest) <= most {
		return lowest, 0
	}
	return lowest[:most], len(all) - most
}
