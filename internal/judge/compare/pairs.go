package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/judge/stats"
)

// Paired is two sides' answers to the same questions.
type Paired struct {
	NotPaired string `json:"not_paired,omitempty"` // why nothing is said of their difference
	By        string `json:"paired_by,omitempty"`  // questions_sha, ids or numbers

	Questions  int     `json:"questions"` // answered on both sides
	OnlyFirst  int     `json:"only_first"`
	OnlySecond int     `json:"only_second"` // answered on this side alone
	Failed     int     `json:"failed"`      // of both of those: asked on both sides
	Difference float64 `json:"difference"`  // of the accuracy over the paired questions: 0.01 is one point
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	P          float64 `json:"p"` // McNemar's, exact; adjusted for the number of sides
	Call       Call    `json:"call"`
	Smallest   float64 `json:"smallest_visible,omitempty"` // difference that would have been called real four times in five

	Lost        int      `json:"lost"`   // questions that the first side got right (more often) than this one
	Gained      int      `json:"gained"` // and the other way round
	LostNames   []string `json:"lost_questions,omitempty"`
	GainedNames []string `json:"gained_questions,omitempty"`
	Texts       int      `json:"texts"`         // pairs of which both texts are known
	OtherTexts  int      `json:"texts_changed"` // and are not the same

	counts   stats.Pairs
	shares   stats.Moments // of right answers, this side's minus the first's, over questions
	repeated bool          // a side asked its questions more than once: differences are not only whole ones
}

// The ways in which questions are paired.
const (
	bySHA     = "questions_sha"
	byIDs     = "ids"
	byNumbers = "numbers"
)

// mostNames is how many changed questions are kept by name.
const mostNames = 1000

// pairOf pairs the answers of two sides. What is not the same question is left out, and
// where nothing shows that two are the same, nothing is paired.
func pairOf(a, b []result.Result) *Paired {
	by, why := sameQuestions(a, b)
	if why != "" {
		return &Paired{NotPaired: why, Call: Unknown}
	}
	p := &Paired{By: by, Call: Unknown, repeated: len(a) > 1 || len(b) > 1}
	first, order := questionsOf(a, by)
	second, _ := questionsOf(b, by)
	for _, key := range order {
		p.add(first[key], second[key])
	}
	for key, q := range second {
		if first[key] == nil && q.answered > 0 {
			p.OnlySecond++
		}
	}
	if p.Questions == 0 {
		return &Paired{NotPaired: "no question was answered on both sides", Call: Unknown}
	}
	p.Difference = p.shares.Mean
	p.P = stats.McNemar(p.Lost, p.Gained)
	return p
}

// sameQuestions is by what the questions of two sides are known to be the same, or why not.
func sameQuestions(a, b []result.Result) (by, why string) {
	reference := a[0].Eval
	for _, runs := range [][]result.Result{a, b} {
		for i := range runs {
			one, why := sameAs(reference, runs[i].Eval)
			switch {
			case why != "":
				return "", why
			case by == "" || by == bySHA:
				by = one
			case one != bySHA && one != by:
				return "", "some runs name their questions, and some only number them"
			}
		}
	}
	return by, ""
}

func sameAs(a, b *score.Result) (by, why string) {
	switch {
	case a == nil || b == nil:
		return "", "a run asked no questions"
	case len(a.Each.Numbers) == 0 || len(b.Each.Numbers) == 0:
		return "", "a file does not say which questions were answered rightly"
	case a.Scores[0].Name != b.Scores[0].Name || a.Scores[0].Metric != b.Scores[0].Metric:
		return "", fmt.Sprintf("the answers are scored differently: %s of %s, against %s of %s",
			b.Scores[0].Metric, b.Scores[0].Name, a.Scores[0].Metric, a.Scores[0].Name)
	case a.SHA != "" && a.SHA == b.SHA:
		return bySHA, ""
	case a.Task != b.Task:
		return "", fmt.Sprintf("other questions: the task is %s, against %s", b.Task, a.Task)
	case a.Each.IDs != nil && b.Each.IDs != nil:
		return byIDs, ""
	case a.Each.IDs == nil && b.Each.IDs == nil && a.Data != "" && a.Data == b.Data:
		return byNumbers, ""
	}
	return "", "other questions: neither their hashes nor their names agree"
}

// question is what became of one, over the repeats of a side.
type question struct {
	name            string
	right, answered int
	hash            string // of its text; empty: not known, or not the same in all repeats
}

// questionsOf are the questions of a side by their key, and the keys in their order.
func questionsOf(runs []result.Result, by string) (map[string]*question, []string) {
	all, order := map[string]*question{}, []string(nil)
	for i := range runs {
		each := &runs[i].Eval.Each
		for k, number := range each.Numbers {
			name := strconv.Itoa(number)
			if each.IDs != nil && each.IDs[k] != "" {
				name = each.IDs[k]
			}
			key := strconv.Itoa(number)
			if by == byIDs {
				key = each.IDs[k]
			}
			q := all[key]
			if q == nil {
				q = &question{name: name}
				all[key], order = q, append(order, key)
			}
			q.count(each, k, i == 0)
		}
	}
	return all, order
}

func (q *question) count(each *score.Each, k int, first bool) {
	switch each.Right[k] {
	case '1':
		q.right++
		q.answered++
	case '0', 'n':
		q.answered++
	default:
		return
	}
	hash := ""
	if each.Hashes != nil {
		hash = each.Hashes[k]
	}
	if first {
		q.hash = hash
	} else if q.hash != hash {
		q.hash = ""
	}
}

// share is how often it was answered rightly.
func (q *question) share() float64 { return float64(q.right) / float64(q.answered) }

// add counts a question of the first side, and the same of this one; nil: it has none.
func (p *Paired) add(a, b *question) {
	switch {
	case a.answered == 0 && (b == nil || b.answered == 0):
		return
	case b == nil:
		p.OnlyFirst++
		return
	case b.answered == 0:
		p.OnlyFirst++
		p.Failed++
		return
	case a.answered == 0:
		p.OnlySecond++
		p.Failed++
		return
	}
	p.Questions++
	p.shares.Add(b.share() - a.share())
	switch d := b.share() - a.share(); {
	case d < 0:
		p.Lost++
		p.counts.First++
		p.LostNames = kept(p.LostNames, a.name)
	case d > 0:
		p.Gained++
		p.counts.Second++
		p.GainedNames = kept(p.GainedNames, a.name)
	case a.share() > 0:
		p.counts.Both++
	default:
		p.counts.Neither++
	}
	if a.hash != "" && b.hash != "" {
		p.Texts++
		if a.hash != b.hash {
			p.OtherTexts++
		}
	}
}

func kept(names []string, name string) []string {
	if len(names) < mostNames {
		names = append(names, name)
	}
	return names
}

// interval holds the true difference but for this share of cases: Tango's, or, over
// repeats, Student's over the questions, which is no narrower than Tango's of pairs that
// never differ.
func (p *Paired) interval(share float64) (low, high float64) {
	switch {
	case !p.repeated:
		return p.counts.Interval(1 - share)
	case p.shares.N < 2:
		return -1, 1
	}
	_, least := stats.Pairs{Both: p.Questions}.Interval(1 - share)
	half := max(stats.StudentQuantile(1-share/2, p.shares.Degrees())*p.shares.StdError(), least)
	return max(p.shares.Mean-half, -1), min(p.shares.Mean+half, 1)
}

// Better and Worse are established differences.
func (p *Paired) Better() bool { return p.Call == Real && p.Gained > p.Lost }
func (p *Paired) Worse() bool  { return p.Call == Real && p.Gained < p.Lost }

// decide calls differences, Holm's correction over their number: see Comparison.call.
// Accuracy is a question of its own: it takes no share of the error of the speeds.
func decide(pairs []*Paired, level float64) {
	var all []*Change
	for _, p := range pairs {
		all = append(all, &Change{P: p.P})
	}
	holm(all)
	each := (1 - level) / float64(max(len(pairs), 1))
	for i, p := range pairs {
		p.P = all[i].P
		p.Low, p.High = p.interval(1 - level)
		low, high := p.interval(each)
		discordant := math.Sqrt(float64(max(p.Lost+p.Gained, 1)))
		p.Smallest = (stats.NormalQuantile(1-each/2) + stats.NormalQuantile(0.8)) * discordant / float64(p.Questions)
		switch {
		case p.P < 1-level && (p.Gained > p.Lost) == (p.Difference > 0):
			p.Call = Real
		case low >= -accuracyInterest && high <= accuracyInterest:
			p.Call = Noise
		default:
			p.Call = Unclear
		}
	}
}

// accuracyInterest is a difference of accuracy that matters: two points.
const accuracyInterest = 0.02
