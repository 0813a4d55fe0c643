package load

import "github.com/inferometer/inferometer/internal/journal"

// appendAnswer adds the line of what a question got, in the same write as its request's:
// a run that is killed has both or neither.
func (w *worker) appendAnswer(line []byte, j *job) []byte {
	if j.request.Question == nil || j.warmup {
		return line
	}
	t, r := &w.sink.Trace, &w.record
	a := journal.Answer{
		Index: r.Index, Question: *j.request.Question, Outcome: r.Outcome, FinishReason: r.FinishReason,
		Prompt: r.UsagePrompt, Output: max(r.UsageOutput, r.TextTokens),
	}
	if j.scored == nil {
		a.Text, a.Hash = w.run.cfg.Secrets.Scrub(string(t.Text)), r.TextHash
	} else if w.choice != nil { // the token that was generated beside it is no answer
		a.Logprob, a.Greedy = &w.choice.logprob, w.choice.greedy
	}
	return journal.AppendAnswer(line, &a)
}
