package pace

import (
	"fmt"
	"math"
)

// trace replays given times, in seconds from the start, in the order given.
type trace struct{ due []float64 }

func newTrace(s Spec) (Pace, error) {
	for i, t := range s.Trace {
		if math.IsNaN(t) || t < 0 {
			return nil, fmt.Errorf("trace: time %d is %v: times are seconds from the start, 0 or later", i, t)
		}
	}
	return clock{&trace{s.Trace}}, nil
}

func (t *trace) next() (float64, bool) {
	if len(t.due) == 0 {
		return 0, false
	}
	s := t.due[0]
	t.due = t.due[1:]
	return s, true
}
