package score

import (
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// Given is what one way of scoring makes of a question's answer.
type Given struct {
	Name    string `json:"name"`
	Metric  string `json:"metric"`
	Answer  string `json:"answer"` // what was found; of a choice its number, from 1
	Found   bool   `json:"found"`  // whether that is an answer, and not what stands for none
	Correct bool   `json:"correct"`
}

// Single scores questions one by one, as a Collector does all of them.
type Single struct {
	task  *journal.Task
	ways  []way
	spent time.Duration
}

// NewSingle makes ready for the answers of a run.
func NewSingle(t *journal.Task) (*Single, error) {
	ways, err := newWays(t)
	return &Single{task: t, ways: ways}, err
}

// Score is what each way makes of a question, of which these are all answers that count:
// one for each choice, else one. checked is what became of its program; nil: it was not run.
// It is nil for a question that is unanswered.
func (s *Single) Score(answers []*journal.Answer, checked *journal.Checked) []Given {
	c := collectorOf(s.task, s.ways, nil)
	c.spent = s.spent
	for _, a := range answers {
		c.Add(a)
	}
	if checked != nil {
		c.Checked(checked)
	}
	s.spent = c.spent
	if len(answers) == 0 || !c.questions[answers[0].Number].answered {
		return nil
	}
	q := c.questions[answers[0].Number]
	var out []Given
	for i := range s.ways {
		w := &s.ways[i]
		if w.err != nil {
			continue
		}
		bit := uint32(1) << i
		g := Given{Name: w.score.Name, Metric: w.score.Metric, Found: q.lost&bit == 0, Correct: q.right&bit != 0}
		g.Answer = s.answer(w, q, answers)
		out = append(out, g)
	}
	return out
}

// answer is what a way of scoring has found.
func (s *Single) answer(w *way, q *question, answers []*journal.Answer) string {
	switch {
	case s.task.Kind == journal.TaskCode:
		return q.answer
	case s.task.Kind == journal.TaskChoice:
		all := newChoices(q.options)
		for _, a := range answers {
			if a.Logprob != nil && a.Choice >= 1 && a.Choice <= q.options {
				all.add(a)
			}
		}
		if b := all.best[w.score.Metric]; b != nil {
			return choiceName(b.choice)
		}
		return ""
	case s.spent > scoringTime:
		return ""
	}
	e, err := w.found(answers[0].Text, &answers[0].Question)
	if err != nil {
		return ""
	}
	return strings.Clone(e.text)
}
