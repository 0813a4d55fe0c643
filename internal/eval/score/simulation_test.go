package score

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// simulated is an eval of a model that knows a share of the answers.
func simulated(r *rand.Rand, questions int, accuracy func(options int) float64) *Result {
	c := NewCollector(&journal.Task{Kind: journal.TaskGenerate, Asked: questions, Scores: []journal.Score{letters}})
	for i := range questions {
		a := answerTo(i, "the answer is (A).")
		a.Options = 3 + r.IntN(8)
		if r.Float64() < accuracy(a.Options) {
			a.Text = "the answer is (B)."
		}
		c.Add(a)
	}
	return c.Result()
}

// Of 400 intervals at 95 % fewer than 350 hold the truth, or all of them, less than once in
// a million times. With INFEROMETER_SLOW 2,000 are made, and 92 to 98 % must.
func TestIntervalsHoldTheTruth(t *testing.T) {
	r, evals, least, most := testfiles.Random(t), 400, 350, 399
	if os.Getenv("INFEROMETER_SLOW") != "" {
		evals, least, most = 2000, 1840, 1960
	}
	held := 0
	for range evals {
		truth := 0.05 + 0.9*r.Float64()
		s := simulated(r, 100+r.IntN(601), func(int) float64 { return truth }).Scores[0]
		if *s.Low <= truth && truth <= *s.High {
			held++
		}
	}
	t.Logf("%d of %d intervals hold the truth", held, evals)
	if held < least || held > most {
		t.Errorf("%d of %d intervals hold the truth", held, evals)
	}
}

// Who guesses is told from chance in at most 5 % of evals: of 400 that is 20, and more
// than 44 less than once in a million times.
func TestGuessingIsLikeChance(t *testing.T) {
	r, told := testfiles.Random(t), 0
	for range 400 {
		result := simulated(r, 20+r.IntN(300), func(options int) float64 { return 1 / float64(options) })
		if !*result.Scores[0].Accuracy.Chance {
			told++
		}
	}
	t.Logf("%d of 400 are told from chance", told)
	if told > 44 {
		t.Errorf("%d of 400 who guess are told from chance", told)
	}
	better := simulated(r, 300, func(options int) float64 { return 1/float64(options) + 0.25 })
	if *better.Scores[0].Accuracy.Chance {
		t.Error("who knows a quarter is not told from chance")
	}
	worse := simulated(r, 300, func(int) float64 { return 0 })
	if *worse.Scores[0].Accuracy.Chance || len(worse.Warnings) != 1 {
		t.Errorf("who is always wrong is like chance, or nothing is said of it: %q", worse.Warnings)
	}
}
