package score

import (
	"fmt"
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// MetricAccBytes is acc by likelihood per byte, as lm-eval's acc_bytes.
const MetricAccBytes = "acc_bytes"

// maxScores bounds the ways in which a task's answers are scored.
const maxScores = 32

// way is a way of scoring that was made ready.
type way struct {
	score *journal.Score
	steps []step
	exact *exact
	err   error // why it can't be used
}

// metrics are those of each kind of task.
var metrics = map[string][]string{
	journal.TaskGenerate: {journal.MetricExact},
	journal.TaskChoice:   {journal.MetricAcc, journal.MetricAccNorm, MetricAccBytes},
	journal.TaskCode:     {journal.MetricPass},
}

// Check says whether a task's answers can be scored: whether its filters and metrics
// exist and its patterns are understood. A run asks before its first request.
func Check(t *journal.Task) error {
	ways, err := newWays(t)
	if err != nil {
		return err
	}
	for i := range ways {
		if ways[i].err != nil {
			return fmt.Errorf("the score %q: %w", clip(ways[i].score.Name, 40), ways[i].err)
		}
	}
	return nil
}

func newWays(t *journal.Task) ([]way, error) {
	known := metrics[t.Kind]
	if known == nil {
		return nil, fmt.Errorf("there is no kind of task %q: known are generate, choice and code", clip(t.Kind, 40))
	}
	scores := t.Scores
	if len(scores) == 0 {
		scores = []journal.Score{{Name: "none", Metric: known[0]}}
	}
	if len(scores) > maxScores {
		return nil, fmt.Errorf("the task has more than %d scores", maxScores)
	}
	var out []way
	for i := range scores {
		out = append(out, newWay(&scores[i], known))
	}
	return out, nil
}

func newWay(s *journal.Score, known []string) way {
	w := way{score: s}
	if !slices.Contains(known, s.Metric) {
		w.err = fmt.Errorf("the metric %q is none of this kind of task, which has %v", clip(s.Metric, 40), known)
		return w
	}
	if w.steps, w.err = newSteps(s.Filters); w.err == nil {
		w.exact, w.err = newExact(s)
	}
	return w
}

func newSteps(filters []journal.Filter) ([]step, error) {
	if len(filters) > maxFilters {
		return nil, fmt.Errorf("there are more than %d filters", maxFilters)
	}
	var out []step
	for i := range filters {
		s, err := newStep(&filters[i])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// found runs the filters. The answer is lost where one of them found nothing, or where
// nothing is left.
func (w *way) found(text string, q *journal.Question) (extract, error) {
	e := extract{text: text}
	for _, s := range w.steps {
		if err := s(&e, q); err != nil {
			return e, err
		}
	}
	e.lost = e.lost || strip(e.text) == ""
	return e, nil
}
