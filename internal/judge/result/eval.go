package result

import (
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
)

// AccuracyMetric is the metric that an eval gives to its run.
const AccuracyMetric = "accuracy"

// mostQuestions bounds what is kept of a file: the largest sets have some 14,000.
const mostQuestions = 5_000_000

// SetEval keeps an eval whose numbers can be, with its accuracy and the standard error of that
// as lm-eval prints it.
func (r *Result) SetEval(e *score.Result) {
	if e == nil || len(e.Scores) == 0 {
		return
	}
	s := &e.Scores[0]
	if s.Right < 0 || s.Right > s.Of || s.Of > mostQuestions {
		return
	}
	own := *e // its words are made safe to show
	own.Scores = slices.Clone(e.Scores)
	r.Eval = &own
	if s.Of == 0 {
		return
	}
	p := float64(s.Right) / float64(s.Of)
	r.Set(AccuracyMetric, &p)
	r.Direct(AccuracyMetric, true)
	if s.Of > 1 {
		r.SetKnown("stderr_"+AccuracyMetric, math.Sqrt(p*(1-p)/float64(s.Of-1)))
	}
}

// cleanEval makes the words safe to show. A list that does not fit the others, or that names a
// question twice, is left out whole: nothing can be paired by it.
func cleanEval(e *score.Result) {
	if e == nil {
		return
	}
	for _, word := range []*string{&e.Task, &e.Version, &e.Data, &e.SHA} {
		*word = outside.Word(*word)
	}
	for i := range e.Scores {
		e.Scores[i].Name, e.Scores[i].Metric = outside.Word(e.Scores[i].Name), outside.Word(e.Scores[i].Metric)
	}
	for _, n := range []*int{&e.Shots, &e.Questions, &e.Answered, &e.Unanswered, &e.CutOff, &e.NoAnswer, &e.Refused} {
		*n = Count(float64(*n))
	}
	cleanEach(&e.Each)
}

func cleanEach(e *score.Each) {
	n := len(e.Numbers)
	if n != len(e.Right) || n > mostQuestions || repeated(e.Numbers) {
		*e = score.Each{}
		return
	}
	e.IDs = slices.Clone(e.IDs)
	for i, id := range e.IDs {
		e.IDs[i] = outside.Word(id)
	}
	if len(e.IDs) != n || repeated(e.IDs) {
		e.IDs = nil
	}
	if len(e.Hashes) != n {
		e.Hashes = nil
	}
}

// repeated says whether something is in a list twice.
func repeated[T comparable](list []T) bool {
	seen := make(map[T]bool, len(list))
	for _, v := range list {
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}
