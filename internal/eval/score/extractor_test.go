package score

import (
	"github.com/inferometer/inferometer/internal/journal"
)

// Extractor finds the answer in a text, as a score does.
type Extractor struct{ way way }

// NewExtractor makes the filters of a score ready.
func NewExtractor(s *journal.Score) (*Extractor, error) {
	steps, err := newSteps(s.Filters)
	return &Extractor{way{score: s, steps: steps}}, err
}

// Answer is what the filters make of a text; found says whether that is an answer, and
// not what stands for none.
func (x *Extractor) Answer(text string, q *journal.Question) (answer string, found bool, err error) {
	e, err := x.way.found(text, q)
	return e.text, !e.lost && err == nil, err
}
