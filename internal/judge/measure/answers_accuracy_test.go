package measure

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/metric"
)

func TestNumbersOfQuestions(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	whole := &score.Result{
		Answered: 8, NoAnswer: 2, CutOff: 1, OutputTokens: 400,
		Scores: []score.Score{{Accuracy: score.Accuracy{Right: 6, Of: 8, Value: share(0.75), Low: share(0.41), High: share(0.93)}}, {Accuracy: score.Accuracy{Value: share(1)}}},
	}
	for _, tt := range []struct {
		name, metric string
		eval         *score.Result
		want         float64
		has          bool
	}{
		{"the first score", "accuracy", whole, 0.75, true},
		{"no answer", "no_answer_share", whole, 0.25, true},
		{"cut off", "cut_off_share", whole, 0.125, true},
		{"tokens", "tokens_per_answer", whole, 50, true},
		{"nothing was answered", "accuracy", &score.Result{Scores: []score.Score{{}}}, math.NaN(), true},
		{"nothing was answered", "cut_off_share", &score.Result{}, math.NaN(), true},
		{"nobody counted tokens", "tokens_per_answer", &score.Result{Answered: 3}, math.NaN(), true},
		{"no questions", "accuracy", nil, math.NaN(), false},
	} {
		r := &Result{Eval: tt.eval}
		v, has := r.Number(metric.Lookup(tt.metric))
		if has != tt.has || v != tt.want && !(math.IsNaN(v) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %s is %v, %v", tt.name, tt.metric, v, has)
		}
	}
	var c Confidence
	c.accuracy(nil)
	c.accuracy(&score.Result{Scores: []score.Score{{}}})
	if len(c.Intervals) != 0 {
		t.Errorf("%+v of nothing", c.Intervals)
	}
	c.accuracy(whole)
	if len(c.Intervals) != 1 || c.Intervals[0].Key != "accuracy" || *c.Intervals[0].Low != 0.41 || c.Intervals[0].N != 8 {
		t.Errorf("%+v", c.Intervals)
	}
}
