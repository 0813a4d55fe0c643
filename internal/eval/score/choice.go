package score

import (
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// mostChoices is how many choices a question may have, each of which is a request.
const mostChoices = 1024

// choices are those of one question: only the most likely is kept, by each way to count.
type choices struct {
	came []uint64 // a bit for each
	left int      // that have not come
	best map[string]*best
}

type best struct {
	value  float64
	choice int
}

func newChoices(options int) *choices {
	return &choices{came: make([]uint64, options/64+1), left: options, best: map[string]*best{}}
}

// add takes in a choice. It says false of one that came before.
func (c *choices) add(a *journal.Answer) bool {
	word, bit := a.Choice/64, uint64(1)<<(a.Choice%64)
	if c.came[word]&bit != 0 {
		return false
	}
	c.came[word] |= bit
	c.left--
	c.consider(journal.MetricAcc, *a.Logprob, a.Choice)
	c.consider(journal.MetricAccNorm, *a.Logprob/float64(a.Characters), a.Choice)
	c.consider(MetricAccBytes, *a.Logprob/float64(a.Bytes), a.Choice)
	return true
}

// consider keeps what numpy.argmax would find: the first of the highest, and before all
// what is no number (an empty choice of likelihood one).
func (c *choices) consider(metric string, value float64, choice int) {
	b := c.best[metric]
	if b == nil {
		c.best[metric] = &best{value, choice}
		return
	}
	isNaN, wasNaN := math.IsNaN(value), math.IsNaN(b.value)
	same := value == b.value || isNaN && wasNaN
	switch {
	case same && choice < b.choice, !same && (isNaN || !wasNaN && value > b.value):
		*b = best{value, choice}
	}
}
