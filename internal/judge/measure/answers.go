package measure

import (
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// answersOf scores the answers of a run whose requests are questions, while the journal is
// read. It is nil for any other run.
func answersOf(j Journal) *score.Collector {
	task := j.Run().Task
	if task == nil {
		return nil
	}
	c := score.NewCollector(task)
	if lines, ok := j.(interface {
		OnAnswer(see func(*journal.Answer))
	}); ok {
		lines.OnAnswer(c.Add)
	}
	if lines, ok := j.(interface {
		OnChecked(see func(*journal.Checked))
	}); ok {
		lines.OnChecked(c.Checked)
	}
	return c
}

// accuracy adds the interval of the task's own score, so that whoever compares results
// has the one that fits a share of questions. The console shows it with the scores.
func (out *Confidence) accuracy(e *score.Result) {
	if e == nil || len(e.Scores) == 0 || e.Scores[0].Value == nil {
		return
	}
	a := &e.Scores[0].Accuracy
	out.add("accuracy", "", sample.Interval{Estimate: *a.Value, Low: a.Low, High: a.High, N: a.Of, Effective: float64(a.Of), Method: sample.ByWilson})
}
