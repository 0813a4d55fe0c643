package section

import (
	"strconv"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/outside"
)

// missed is a question that was not answered right.
type missed struct {
	Question string // its ID, else its number
	What     string // wrong, no answer found, unanswered
	Answer   string // what was found in the text
}

// missedOf are the first questions that were not answered right, and how many there are.
func missedOf(e *score.Each, limit int) (first []missed, all int) {
	words := map[byte]string{'0': "wrong", 'n': "no answer found", '-': "unanswered"}
	for i := range min(len(e.Numbers), len(e.Right)) {
		what, ok := words[e.Right[i]]
		if !ok {
			continue
		}
		if all++; all > limit {
			continue
		}
		m := missed{Question: strconv.Itoa(e.Numbers[i]), What: what}
		if i < len(e.IDs) {
			if id := outside.Word(e.IDs[i]); id != "" {
				m.Question = id
			}
		}
		if i < len(e.Answers) {
			m.Answer = outside.Word(e.Answers[i])
		}
		first = append(first, m)
	}
	return first, all
}
