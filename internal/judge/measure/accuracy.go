package measure

import "github.com/inferometer/inferometer/internal/eval/score"

// accuracy adds the interval of the task's own score, so that whoever compares results
// has the one that fits a share of questions. The console shows it with the scores.
func (out *Confidence) accuracy(e *score.Result) {
	if e == nil || len(e.Scores) == 0 || e.Scores[0].Value == nil {
		return
	}
	a := &e.Scores[0].Accuracy
	out.add("accuracy", "", Interval{Estimate: *a.Value, Low: a.Low, High: a.High, N: a.Of, Effective: float64(a.Of), Method: byWilson})
}
