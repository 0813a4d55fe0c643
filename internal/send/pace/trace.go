package pace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/option"
)

var traced = NewKind(Kind{Name: Traced, Doc: "Given times, in seconds from the start.", By: "times"}, newTrace)

var fromDataset = NewKind(Kind{Name: Dataset, Doc: "The dataset's own times. The burstiness only stands in the result."},
	func(s Spec, _ *SpreadOptions) (Pace, error) {
		if s.Times == nil {
			return nil, errors.New("the dataset has no times of its own")
		}
		return s.Times, nil
	})

// TraceOptions are the times of a trace.
type TraceOptions struct {
	Times Times `json:"times" help:"Seconds from the start, one for each request."`
}

// Check implements [option.Checker].
func (o *TraceOptions) Check() error {
	for i, t := range o.Times {
		if math.IsNaN(t) || t < 0 {
			return option.Errorf("times", "must be seconds from the start, 0 or later, and time %d is %v", i, t)
		}
	}
	return nil
}

// Times are seconds from the start.
type Times []float64

// UnmarshalText reads a JSON list.
func (t *Times) UnmarshalText(text []byte) error {
	var times []float64
	if err := json.Unmarshal(text, &times); err != nil {
		return fmt.Errorf("needs a JSON list of seconds, as in [0, 0.5], not %q", text)
	}
	*t = times
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (t Times) MarshalText() ([]byte, error) { return json.Marshal([]float64(t)) }

// trace replays given times in the order given.
type trace struct{ due []float64 }

func newTrace(_ Spec, o *TraceOptions) (Pace, error) { return clock{&trace{o.Times}}, nil }

func (t *trace) next() (float64, bool) {
	if len(t.due) == 0 {
		return 0, false
	}
	s := t.due[0]
	t.due = t.due[1:]
	return s, true
}
