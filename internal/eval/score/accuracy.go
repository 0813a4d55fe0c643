package score

import (
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// level is that of intervals, and of what is told from chance.
const level = 0.95

// tally is what an accuracy is made of.
type tally struct {
	right, of, lost, unanswered int
	unseen                      int       // planned and never sent; -1: not known
	guess                       []float64 // what guessing gives, of each answered
	unknown                     bool      // of one it is not known
}

// tallyOf counts some questions by one score.
func tallyOf(some []*question, score int) *tally {
	t := &tally{}
	bit := uint32(1) << score
	for _, q := range some {
		if !q.answered {
			t.unanswered++
			continue
		}
		t.of++
		if q.right&bit != 0 {
			t.right++
		}
		if q.lost&bit != 0 {
			t.lost++
		}
		if q.options < 1 {
			t.unknown = true
			continue
		}
		t.guess = append(t.guess, 1/float64(q.options))
	}
	return t
}

// chance is the accuracy of guessing.
func (t *tally) chance() *float64 {
	if t.unknown || len(t.guess) == 0 {
		return nil
	}
	sum := 0.0
	for _, p := range t.guess {
		sum += p
	}
	return value(sum / float64(len(t.guess)))
}

func (t *tally) accuracy() Accuracy {
	a := Accuracy{Right: t.right, Of: t.of, NoAnswer: t.lost}
	if left := t.unanswered + t.unseen; t.unseen >= 0 && left > 0 {
		all := float64(t.of + left)
		a.Worst, a.Best = value(float64(t.right)/all), value(float64(t.right+left)/all)
	}
	if t.of == 0 {
		return a
	}
	n, p := float64(t.of), float64(t.right)/float64(t.of)
	low, high := stats.Wilson(t.right, t.of, level)
	a.Value, a.Low, a.High = &p, &low, &high
	if t.of > 1 {
		a.StdErr = value(math.Sqrt(p * (1 - p) / (n - 1)))
	}
	a.Chance = t.likeChance()
	return a
}

// likeChance says whether who guesses may get so many right, or so few: whether the
// smaller of both tails is above half of what is left of the level.
func (t *tally) likeChance() *bool {
	if t.unknown || len(t.guess) == 0 {
		return nil
	}
	atMost, atLeast := stats.Tails(t.guess, t.right)
	like := min(atMost, atLeast) > (1-level)/2
	return &like
}

func value(v float64) *float64 { return &v }
