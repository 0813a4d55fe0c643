package section

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

func init() { Add(atAccuracy, accuracy) }

// Bounds on what is shown of an eval.
const (
	fewCategories = 20 // of more a console has those with the lowest accuracy
	maxCategories = 200
	maxMissed     = 50 // questions that were not answered right
)

// accuracy is what the answers are worth; nil for a run without questions.
func accuracy(run *Run) *Section {
	e := run.Result.Eval
	if e == nil {
		return nil
	}
	facts := &table.Table{Title: "What was asked, and what became of it"}
	facts.Fact("Task", task(e))
	facts.Fact("Data", Shown(e.Data))
	facts.Fact("Questions", Questions(e))
	facts.Fact("No answer found", noAnswer(e))
	facts.Fact("Cut off at the limit", number.Of(e.CutOff, e.Answered))
	facts.Fact("Tokens per question", tokensEach(e))
	if e.Chance != nil {
		facts.Fact("Accuracy of guessing", number.Accuracy(*e.Chance))
	}
	scores := accuracyTable("Accuracy of the answers, by each way of scoring; low and high are Wilson's 95 % interval", "score")
	for i := range e.Scores {
		addAccuracy(scores, Title(&e.Scores[i]), &e.Scores[i].Accuracy)
	}
	notes := &table.Table{}
	for _, n := range Notes(e) {
		notes.Fact(n.Of, n.Text)
	}
	for _, w := range e.Warnings {
		if !slices.Contains(run.Result.Warnings, w) {
			notes.Fact("Warning", outside.Sentence(w))
		}
	}
	return &Section{ID: "accuracy", Title: "Accuracy", Tables: []*table.Table{facts, scores, categories(e.Categories), missedTable(&e.Each), notes}}
}

func accuracyTable(title, what string) *table.Table {
	return &table.Table{Title: title, Columns: slices.Concat(table.Words(what), table.Numbers(number.Accuracy, "accuracy", "± stderr"), table.Numbers(bound, "low", "high"), table.Numbers(number.Count, "right", "of", "no answer"))}
}

func addAccuracy(t *table.Table, name string, a *score.Accuracy) {
	t.Add(table.Sentence(name), a.Value, a.StdErr, a.Low, a.High, a.Right, a.Of, a.NoAnswer)
}

// categories are all of few, by name, and of many those with the lowest accuracy.
func categories(all []score.Category) *table.Table {
	t := accuracyTable("By category, by the first score", "category")
	if len(all) > fewCategories {
		all, _ = Lowest(all, len(all))
		t.Title, t.Brief = fmt.Sprintf("By category, the lowest first of %d", len(all)), 5
	}
	for i := range all[:min(len(all), maxCategories)] {
		addAccuracy(t, Shown(all[i].Name), &all[i].Accuracy)
	}
	return t
}

func missedTable(e *score.Each) *table.Table {
	t := &table.Table{Title: "Questions that were not answered right", Columns: table.Words("question", "what", "answer that was found"), Except: table.OnConsole | table.InMarkdown}
	first, all := missedOf(e, maxMissed)
	for _, m := range first {
		t.Add(table.Sentence(m.Question), m.What, table.Sentence(m.Answer))
	}
	if all > len(first) {
		t.Notes = []string{fmt.Sprintf("The first %d of %d. All are in what inferometer report --format questions writes.", len(first), all)}
	}
	return t
}

// bound is an end of an accuracy's interval.
func bound(v float64) string { return number.Fixed(v, 3) }

// Interval is Wilson's: 0.818–0.871.
func Interval(a *score.Accuracy) string {
	if a.Low == nil || a.High == nil {
		return number.Unknown
	}
	return bound(*a.Low) + "–" + bound(*a.High)
}

// AccuracyText is an accuracy with its error: 0.8466 ± 0.0135 (0.818–0.871).
func AccuracyText(a *score.Accuracy) string {
	if a.Value == nil {
		return number.Unknown
	}
	return fmt.Sprintf("%s ± %s (%s)", number.Accuracy(*a.Value), number.Maybe(a.StdErr, number.Accuracy), Interval(a))
}

// Shown is a name of the journal's, short enough for a table.
func Shown(name string) string { return outside.Line(name, maxName) }

const maxName = 40

// Title is what a score is called: by its filter, where it has one, else by its metric.
func Title(s *score.Score) string {
	if s.Name == "" || s.Name == "none" {
		return Shown(s.Metric)
	}
	return Shown(s.Name)
}

// task says what was asked, and how.
func task(e *score.Result) string {
	parts := []string{Shown(e.Task)}
	if e.Version != "" {
		parts[0] += " " + Shown(e.Version)
	}
	parts = append(parts, fmt.Sprintf("%d-shot", e.Shots))
	switch e.Kind {
	case "choice":
		parts = append(parts, "by log-likelihood")
	case "code":
		parts = append(parts, "by running the answer")
	case "generate", "":
	default:
		parts = append(parts, Shown(e.Kind))
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

// noAnswer says in how many answers none was found, and how many of them were refusals.
func noAnswer(e *score.Result) string {
	text := number.Of(e.NoAnswer, e.Answered)
	if e.Refused > 0 {
		text += fmt.Sprintf(", %d of them refused", e.Refused)
	}
	return text
}

// tokensEach says what a question cost. Nobody has counted what is zero.
func tokensEach(e *score.Result) string {
	each := func(n int64) string {
		if e.Answered <= 0 || n <= 0 {
			return number.Unknown
		}
		return number.Fixed(float64(n)/float64(e.Answered), 1)
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
			notes = append(notes, Note{"Chance, " + Title(s), fmt.Sprintf("can't be told from chance (guessing gives %s)", number.Maybe(e.Chance, bound))})
		}
	}
	if e.Unanswered > 0 {
		text := fmt.Sprintf("%d of %d questions, which count in no share", e.Unanswered, e.Questions)
		if s := e.Scores; len(s) > 0 && s[0].Worst != nil && s[0].Best != nil {
			text += fmt.Sprintf(": the accuracy over all is %s if these are all wrong, and %s if they are all right", bound(*s[0].Worst), bound(*s[0].Best))
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
func Lowest(all []score.Category, limit int) (lowest []score.Category, more int) {
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
	if len(lowest) <= limit {
		return lowest, 0
	}
	return lowest[:limit], len(all) - limit
}

// missed is a question that was not answered right.
type missed struct {
	Question string // its ID, else its number
	What     string // wrong, no answer found, unanswered
	Answer   string // what was found in the text
}

// missedOf are the first questions that were not answered right, and how many there are.
func missedOf(e *score.Each, limit int) (first []missed, all int) {
	words := map[byte]string{'0': "wrong", 'n': "no answer found", '-': "unanswered"}
	for i := range min(len(e.Numbers), len(e.Right)) {
		what, ok := words[e.Right[i]]
		if !ok {
			continue
		}
		if all++; all > limit {
			continue
		}
		m := missed{Question: strconv.Itoa(e.Numbers[i]), What: what}
		if i < len(e.IDs) {
			if id := outside.Word(e.IDs[i]); id != "" {
				m.Question = id
			}
		}
		if i < len(e.Answers) {
			m.Answer = outside.Word(e.Answers[i])
		}
		first = append(first, m)
	}
	return first, all
}
