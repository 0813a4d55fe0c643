package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/stats"
)

// Accuracy is how well the sides answered their questions.
type Accuracy struct {
	Sides []Answers `json:"sides"`
	Front *Front    `json:"front,omitempty"` // of accuracy against throughput; nil: fewer than two sides have both
	Notes []string  `json:"notes"`
}

// Answers are one side's.
type Answers struct {
	Asked     bool    `json:"asked"` // questions
	Known     bool    `json:"known"` // and some were answered
	Task      string  `json:"task,omitempty"`
	Value     float64 `json:"value"`  // the share of right answers
	StdErr    float64 `json:"stderr"` // of it, as of one run: repeats of a question are no further questions
	Low       float64 `json:"low"`    // Wilson's interval
	High      float64 `json:"high"`
	Questions int     `json:"questions"`
	Answered  int     `json:"answered"`
	NoAnswer  int     `json:"no_answer"`
	CutOff    int     `json:"cut_off"`
	Best      bool    `json:"best,omitempty"` // and told apart from all others
	Change    *Paired `json:"change,omitempty"`
}

// AccuracyOf holds the answers of sides[1:] against those of the first; nil: none asked questions.
func AccuracyOf(sides []Side, level float64) *Accuracy {
	if !slices.ContainsFunc(sides, func(s Side) bool { return hasEval(&s) }) {
		return nil
	}
	a := &Accuracy{}
	var pairs []*Paired
	for i := range sides {
		of := AnswersOf(&sides[i], level)
		if i > 0 {
			of.Change = pairOf(sides[0].Runs, sides[i].Runs)
			if of.Change.NotPaired == "" {
				pairs = append(pairs, of.Change)
			}
		}
		a.Sides = append(a.Sides, of)
	}
	decide(pairs, level)
	a.Front = FrontOf(sides, level)
	a.markBest(sides, level)
	for i := 1; i < len(sides); i++ {
		a.Notes = append(a.Notes, a.notes(sides, i)...)
	}
	return a
}

func hasEval(s *Side) bool {
	return slices.ContainsFunc(s.Runs, func(r result.Result) bool { return r.Eval != nil })
}

// AnswersOf joins the repeats of a side.
func AnswersOf(s *Side, level float64) Answers {
	var out Answers
	right, of, runs := 0, 0, 0
	for i := range s.Runs {
		e := s.Runs[i].Eval
		if e == nil {
			continue
		}
		runs++
		out.Asked, out.Task = true, e.Task
		right, of = right+e.Scores[0].Right, of+e.Scores[0].Of
		out.Questions += e.Questions
		out.Answered += e.Answered
		out.NoAnswer += e.NoAnswer
		out.CutOff += e.CutOff
	}
	if out.Known = of > 0; !out.Known {
		return out
	}
	n := float64(of) / float64(runs)
	out.Value = float64(right) / float64(of)
	out.StdErr = math.Sqrt(out.Value * (1 - out.Value) / max(n-1, 1))
	out.Low, out.High = stats.Wilson(int(math.Round(out.Value*n)), int(math.Round(n)), level)
	return out
}

// markBest marks a side that is told apart from all others, and better.
func (a *Accuracy) markBest(sides []Side, level float64) {
	best := -1
	for i := range a.Sides {
		if a.Sides[i].Known && (best < 0 || a.Sides[i].Value > a.Sides[best].Value) {
			best = i
		}
	}
	var pairs []*Paired
	for i := range a.Sides {
		if i != best && a.Sides[i].Known {
			pairs = append(pairs, pairOf(sides[i].Runs, sides[best].Runs))
		}
	}
	if len(pairs) == 0 || slices.ContainsFunc(pairs, func(p *Paired) bool { return p.NotPaired != "" }) {
		return
	}
	decide(pairs, level)
	a.Sides[best].Best = !slices.ContainsFunc(pairs, func(p *Paired) bool { return !p.Better() })
}

// notes say of a side what a table has no room for.
func (a *Accuracy) notes(sides []Side, i int) []string {
	first, name, p := sides[0].Name, sides[i].Name, a.Sides[i].Change
	if p.NotPaired != "" {
		return []string{fmt.Sprintf("accuracy of %s: not paired with that of %s (%s): nothing is said beyond the intervals", name, first, p.NotPaired)}
	}
	out := []string{fmt.Sprintf("accuracy: %s", p.sentence(name, first))}
	for _, of := range []struct {
		n     int
		names []string
		words string
	}{{p.Lost, p.LostNames, "right in %s, wrong in %s"}, {p.Gained, p.GainedNames, "wrong in %s, right in %s"}} {
		if of.n > 0 {
			out = append(out, fmt.Sprintf(of.words, first, name)+": "+listed10(of.names, of.n))
		}
	}
	if p.By != bySHA {
		out = append(out, fmt.Sprintf("%s and %s did not ask the same set: paired by the %s that both have; whether the questions behind them are the same is not shown", first, name, p.By))
	}
	if p.repeated {
		out = append(out, "several runs per side: a question counts for the side that got it right more often; asking it again makes no more questions of it")
	}
	a0, b0 := sides[0].Runs[0].Eval, sides[i].Runs[0].Eval
	if a0.Shots != b0.Shots || a0.Chat != b0.Chat {
		out = append(out, fmt.Sprintf("%s asked with %s, %s with %s", first, asking(a0), name, asking(b0)))
	}
	return out
}

// Points is a difference of accuracy in percentage points with its interval.
func (p *Paired) Points() string {
	return fmt.Sprintf("%+.1f points [%+.1f, %+.1f]", 100*p.Difference, 100*p.Low, 100*p.High)
}

// sentence is what can be said of the difference.
func (p *Paired) sentence(name, first string) string {
	said := fmt.Sprintf("%s can't be told from %s", name, first)
	switch {
	case p.Better():
		said = fmt.Sprintf("%s is better than %s", name, first)
	case p.Worse():
		said = fmt.Sprintf("%s is worse than %s", name, first)
	}
	text := fmt.Sprintf("%s (%s, p = %s, McNemar's exact test on %d questions that both answered)", said, p.Points(), Probability(p.P), p.Questions)
	if p.Call != Real && (p.Low > 0 || p.High < 0) {
		text += "; the interval, which is not exact, leaves out zero, and the test, which is, does not"
	}
	return text
}

func asking(e *score.Result) string {
	text := fmt.Sprintf("%d worked examples", e.Shots)
	if e.Chat {
		return text + " as a chat"
	}
	return text
}

// listed10 names the first of many.
func listed10(names []string, n int) string {
	const most = 10
	text := strings.Join(names[:min(len(names), most)], ", ")
	if n > most {
		text += fmt.Sprintf(", and %d more", n-most)
	}
	return text
}

// Probability is a p-value in words.
func Probability(p float64) string {
	if p < 0.001 {
		return fmt.Sprintf("%.1g", p)
	}
	return fmt.Sprintf("%.3f", p)
}
