package foreign

import (
	"math"

	"github.com/inferometer/inferometer/internal/outside"
)

// Eval is what a result says of the questions that its run asked: inferometer.eval.
type Eval struct {
	Task       string      `json:"task"`
	Version    string      `json:"version"`
	Shots      int         `json:"shots"`
	Chat       bool        `json:"chat"`
	Data       string      `json:"data"`
	SHA        string      `json:"questions_sha"` // of all questions with what is right
	Questions  int         `json:"questions"`
	Answered   int         `json:"answered"`
	Unanswered int         `json:"unanswered"`
	CutOff     int         `json:"cut_off"`
	NoAnswer   int         `json:"no_answer"`
	Refused    int         `json:"refused"`
	Scores     []EvalScore `json:"scores"` // the first is the task's own
	Each       EvalEach    `json:"each"`
}

// EvalScore is the accuracy by one way of scoring.
type EvalScore struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Right  int    `json:"right"`
	Of     int    `json:"of"`
}

// EvalEach is what became of each question. Right has a letter for each: 1 right, 0 wrong,
// n no answer was found in the text, - unanswered.
type EvalEach struct {
	Numbers []int    `json:"numbers"`
	IDs     []string `json:"ids"`
	Right   string   `json:"right"`
	Hashes  []string `json:"hashes"`
}

// AccuracyMetric is the metric that an eval gives to its run.
const AccuracyMetric = "accuracy"

// mostQuestions bounds what is kept of a file: the largest sets have some 14,000.
const mostQuestions = 5_000_000

// into keeps an eval whose numbers can be, with its accuracy and the standard error of that
// as lm-eval prints it.
func (e *Eval) into(r *Run) {
	if e == nil || len(e.Scores) == 0 {
		return
	}
	s := &e.Scores[0]
	if s.Right < 0 || s.Right > s.Of || s.Of > mostQuestions {
		return
	}
	r.Eval = e
	if s.Of == 0 {
		return
	}
	p := float64(s.Right) / float64(s.Of)
	r.set(AccuracyMetric, &p)
	r.direct(AccuracyMetric, true)
	if s.Of > 1 {
		r.setKnown("stderr_"+AccuracyMetric, math.Sqrt(p*(1-p)/float64(s.Of-1)))
	}
}

// clean makes the words safe to show. A list that does not fit the others, or that names a
// question twice, is left out whole: nothing can be paired by it.
func (e *Eval) clean() {
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
		*n = count(float64(*n))
	}
	e.Each.clean()
}

func (e *EvalEach) clean() {
	n := len(e.Numbers)
	if n != len(e.Right) || n > mostQuestions || repeated(e.Numbers) {
		*e = EvalEach{}
		return
	}
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
