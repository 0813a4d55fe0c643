// Package changes holds two runs of the same questions to the same server against each
// other: which answers changed, and whether accuracy did. A model that is asked greedily
// has no reason to say something else; kernels whose sums depend on the batch give it one.
package changes

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/stats"
)

// Changes is what is different in the second of two runs.
type Changes struct {
	Questions  int `json:"questions"`   // answered in both
	OnlyFirst  int `json:"only_first"`  // answered in the first alone
	OnlySecond int `json:"only_second"` // answered in the second alone

	// Texts are compared by their hashes (null: there are none), answers as they were found in the texts.
	Texts   *int `json:"texts_changed"`
	Answers *int `json:"answers_changed"`
	Lost    int  `json:"lost"`   // right in the first, wrong in the second
	Gained  int  `json:"gained"` // and the other way round

	First      float64 `json:"first"` // accuracy over the questions that both answered
	Second     float64 `json:"second"`
	Difference float64 `json:"difference"` // the second's minus the first's: 0.01 is one point
	Low        float64 `json:"low"`        // Tango's 95 % interval of it
	High       float64 `json:"high"`
	P          float64 `json:"p"`                // McNemar's exact test
	Real       bool    `json:"accuracy_changed"` // p is below 0.05

	// Changed are the questions whose text or answer did, the first so many.
	Changed []Change `json:"changed,omitempty"`
}

// Change is one question.
type Change struct {
	Number int    `json:"n"`
	ID     string `json:"id,omitempty"`
	First  string `json:"first"` // the answer that was found; empty: none was
	Second string `json:"second"`
	Right  string `json:"right"` // of both, as in score.Each: 10 is right in the first and wrong in the second
}

// mostChanged bounds the list.
const mostChanged = 1000

// level is that of the interval, and 1 − level that of the test.
const level = 0.95

// Of compares two results of the same questions.
func Of(first, second *score.Result) (*Changes, error) {
	if first == nil || second == nil {
		return nil, errors.New("a run asked no questions")
	}
	if first.SHA != second.SHA || first.Task != second.Task {
		return nil, fmt.Errorf("the runs asked other questions, of %s and of %s", first.Task, second.Task)
	}
	places := make(map[int]int, len(second.Each.Numbers))
	for k, number := range second.Each.Numbers {
		places[number] = k
	}
	c := &Changes{Answers: new(int)} // a list of answers that is left out has none
	if first.Each.Hashes != nil || second.Each.Hashes != nil {
		c.Texts = new(int)
	}
	var pairs stats.Pairs
	for i, number := range first.Each.Numbers {
		k, asked := places[number]
		delete(places, number)
		c.add(&pairs, &first.Each, i, &second.Each, k, asked)
	}
	for _, k := range places { // asked in the second alone
		if answered(second.Each.Right[k]) {
			c.OnlySecond++
		}
	}
	c.Lost, c.Gained = pairs.First, pairs.Second
	if c.Questions > 0 {
		n := float64(c.Questions)
		c.First, c.Second = float64(pairs.Both+pairs.First)/n, float64(pairs.Both+pairs.Second)/n
	}
	c.Difference = pairs.Difference()
	c.Low, c.High = pairs.Interval(level)
	c.P = stats.McNemar(c.Lost, c.Gained)
	c.Real = c.P < 1-level
	return c, nil
}

func answered(verdict byte) bool { return verdict == '1' || verdict == '0' || verdict == 'n' }

// add compares one question: the i-th of the first run and the k-th of the second.
func (c *Changes) add(pairs *stats.Pairs, a *score.Each, i int, b *score.Each, k int, asked bool) {
	one, two := a.Right[i], byte('-')
	if asked {
		two = b.Right[k]
	}
	switch {
	case !answered(one) && !answered(two):
		return
	case !answered(two):
		c.OnlyFirst++
		return
	case !answered(one):
		c.OnlySecond++
		return
	}
	c.Questions++
	switch {
	case one == '1' && two == '1':
		pairs.Both++
	case one == '1':
		pairs.First++
	case two == '1':
		pairs.Second++
	default:
		pairs.Neither++
	}
	text := c.Texts != nil && at(a.Hashes, i) != at(b.Hashes, k)
	if text {
		*c.Texts++
	}
	answer := c.Answers != nil && at(a.Answers, i) != at(b.Answers, k)
	if answer {
		*c.Answers++
	}
	if (text || answer || one != two) && len(c.Changed) < mostChanged {
		c.Changed = append(c.Changed, Change{
			Number: a.Numbers[i], ID: at(a.IDs, i), First: at(a.Answers, i), Second: at(b.Answers, k), Right: string([]byte{one, two}),
		})
	}
}

func at(list []string, i int) string {
	if i >= len(list) {
		return ""
	}
	return list[i]
}

// Call says in words whether accuracy changed.
func (c *Changes) Call() string {
	switch {
	case c.Questions == 0:
		return "no question was answered both times"
	case !c.Real && c.Lost+c.Gained == 0:
		return "no answer changed between right and wrong"
	case !c.Real:
		return "a change of accuracy can't be told from chance"
	case c.Difference < 0:
		return "accuracy is lower in the second run"
	}
	return "accuracy is higher in the second run"
}
