package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

var byLikelihood = &journal.Task{Kind: journal.TaskChoice, Scores: []journal.Score{
	{Name: "none", Metric: journal.MetricAcc}, {Name: "none", Metric: journal.MetricAccNorm}, {Name: "none", Metric: MetricAccBytes},
}}

// choicesOf are the requests of a question, in any order.
func choicesOf(number, right int, logprobs []float64, lengths []int) (out []*journal.Answer) {
	for i, v := range logprobs {
		out = append(out, &journal.Answer{
			Index: number*len(logprobs) + i, Outcome: journal.Complete, FinishReason: "length", Logprob: &v, Prompt: 7, Output: 1,
			Question: journal.Question{Number: number, Options: len(logprobs), Choice: i + 1, RightChoice: right, Characters: lengths[i], Bytes: 2 * lengths[i]},
		})
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestChoices(t *testing.T) {
	for name, c := range map[string]struct {
		logprobs  []float64
		lengths   []int
		acc, norm int // the choice that wins, as numpy.argmax has it
	}{
		"the highest":                {[]float64{-5, -3, -4}, []int{1, 1, 1}, 2, 2},
		"the first of equals":        {[]float64{-3, -1, -1}, []int{1, 1, 1}, 2, 2},
		"per character":              {[]float64{-4, -6, -9}, []int{1, 2, 10}, 1, 3},
		"empty choices":              {[]float64{-4, 0, 0}, []int{4, 0, 0}, 2, 2}, // 0/0 is no number, and argmax takes the first
		"an empty choice is endless": {[]float64{-4, -1, -7}, []int{4, 0, 7}, 2, 1},
	} {
		for right := 1; right <= 3; right++ {
			collector := NewCollector(byLikelihood)
			for _, a := range choicesOf(0, right, c.logprobs, c.lengths) {
				collector.Add(a)
			}
			r := collector.Result()
			if r.Answered != 1 || r.CutOff != 0 || r.PromptTokens != 21 || r.OutputTokens != 3 || len(r.Warnings) > 1 {
				t.Errorf("%s: %+v", name, r)
			}
			for i, winner := range []int{c.acc, c.norm, c.norm} {
				if (r.Scores[i].Right == 1) != (winner == right) {
					t.Errorf("%s: %s with right %d: %+v", name, r.Scores[i].Metric, right, r.Scores[i])
				}
			}
		}
	}
}

// A question is answered when all its choices came with their likelihood, each once.
func TestChoicesThatAreMissing(t *testing.T) {
	c := NewCollector(byLikelihood)
	whole := choicesOf(0, 2, []float64{-1, -2}, []int{1, 1})
	for _, a := range append(whole, whole[0]) {
		a.Earlier = true
		c.Add(a)
	}
	c.Add(choicesOf(1, 2, []float64{-1, -2}, []int{1, 1})[0])
	silent := choicesOf(2, 1, []float64{-1, -2}, []int{1, 1})
	silent[0].Logprob = nil
	failed := choicesOf(3, 1, []float64{-1, -2}, []int{1, 1})
	failed[1].Outcome = "timeout"
	for _, a := range append(silent, failed...) {
		c.Add(a)
	}
	odd := choicesOf(4, 1, []float64{-1, -2}, []int{1, 1})
	odd[0].Choice, odd[1].Options = 3, 7
	for _, a := range odd {
		c.Add(a)
	}
	r := c.Result()
	if r.Questions != 5 || r.Answered != 1 || r.Earlier != 1 || r.Each.Right != "0----" || r.Each.Answers[0] != "1" || len(r.Warnings) != 3 {
		t.Errorf("%+v %q", r, r.Warnings)
	}
}

func TestNotANumberIsFirst(t *testing.T) {
	c := newChoices(3)
	c.consider("x", -1, 3)
	c.consider("x", math.NaN(), 2)
	c.consider("x", math.NaN(), 1)
	c.consider("x", 0, 1)
	if b := c.best["x"]; b.choice != 1 || !math.IsNaN(b.value) {
		t.Errorf("%+v", b)
	}
}

func TestPrograms(t *testing.T) {
	c := NewCollector(&journal.Task{Kind: journal.TaskCode, Asked: 5, Scores: []journal.Score{{Name: "create_test", Metric: journal.MetricPass}}})
	c.Checked(&journal.Checked{Index: 1, Passed: true})
	for i := range 5 {
		a := answerTo(i, "return 1")
		a.Category = ""
		if i == 3 {
			a.Text = " \n"
		}
		c.Add(a)
	}
	c.Checked(&journal.Checked{Index: 0, Passed: true})
	c.Checked(&journal.Checked{Index: 2, How: "timeout"})
	c.Checked(&journal.Checked{Index: 3, How: "failed"})
	r := c.Result()
	if r.Each.Right != "110n-" || r.Answered != 4 || r.NoAnswer != 1 || r.Each.Answers[2] != "timeout" || len(r.Warnings) != 1 {
		t.Errorf("%+v %q", r, r.Warnings)
	}
}
