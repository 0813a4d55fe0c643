package pace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
)

var staged = NewKind(Kind{Name: Staged, Doc: "Rates one after the other, each for its time.", By: "stages", Timed: true}, newStages)

// StagesOptions shape the stages.
type StagesOptions struct {
	Stages Stages `json:"stages" flag:"stages" metavar:"SPAN@RATE,…" help:"Rates one after the other, as in 10s@5,60s@50,10s@5; 60s@5-50 ramps."`
	SpreadOptions
}

// Check implements [option.Checker].
func (o *StagesOptions) Check() error {
	if len(o.Stages) == 0 {
		return option.Errorf("stages", "is needed: for example 10s@5,60s@50,10s@5")
	}
	for _, st := range o.Stages {
		if err := st.check(); err != nil {
			return option.Errorf("stages", "has %s: %s", st.String(), err.Error())
		}
	}
	return nil
}

// Length is how long the pace lasts.
func (o *StagesOptions) Length() time.Duration { return asked(o.Stages).Over }

// Stages follow each other.
type Stages []Stage

// UnmarshalText reads 10s@5,60s@5-50.
func (s *Stages) UnmarshalText(text []byte) error {
	stages, err := ParseStages(string(text))
	if err != nil {
		return fmt.Errorf("can't be read: %w", err)
	}
	*s = stages
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (s Stages) MarshalText() ([]byte, error) {
	var parts []string
	for _, st := range s {
		parts = append(parts, st.String())
	}
	return []byte(strings.Join(parts, ",")), nil
}

// Stage is a stretch of time in which the rate goes evenly from one value to
// another, or stays where it is.
type Stage struct {
	Length   time.Duration
	From, To float64 // requests per second
}

// String writes a stage as ParseStages reads it.
func (s Stage) String() string {
	from := strconv.FormatFloat(s.From, 'f', -1, 64)
	if s.From == s.To {
		return s.Length.String() + "@" + from
	}
	return s.Length.String() + "@" + from + "-" + strconv.FormatFloat(s.To, 'f', -1, 64)
}

// ParseStages reads stages such as 10s@5,60s@5-50,10s@50: length@rate or
// length@from-to, in the order in which they follow each other.
func ParseStages(text string) ([]Stage, error) {
	var stages []Stage
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		s, err := parseStage(part)
		if err != nil {
			return nil, fmt.Errorf("stage %q: %w (a stage is length@rate or length@from-to, such as 10s@5,60s@5-50)", part, err)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

func parseStage(text string) (s Stage, err error) {
	length, rates, ok := strings.Cut(text, "@")
	if !ok {
		return s, fmt.Errorf("no @")
	}
	if s.Length, err = time.ParseDuration(length); err != nil {
		return s, err
	}
	from, to, ranged := strings.Cut(rates, "-")
	if s.From, err = strconv.ParseFloat(from, 64); err != nil {
		return s, err
	}
	s.To = s.From
	if ranged {
		if s.To, err = strconv.ParseFloat(to, 64); err != nil {
			return s, err
		}
	}
	return s, s.check()
}

func (s Stage) check() error {
	bad := func(rate float64) bool { return !(rate >= 0) || math.IsInf(rate, 1) }
	switch {
	case s.Length <= 0:
		return fmt.Errorf("the length must be above 0")
	case bad(s.From) || bad(s.To):
		return fmt.Errorf("the rate must be 0 or more, and finite")
	}
	return nil
}

// expected is how many requests the stage has on average.
func (s Stage) expected() float64 { return s.Length.Seconds() * (s.From + s.To) / 2 }

// timeOf is when, from the stage's start, x requests are expected to have come:
// the inverse of from*t + (to-from)*t*t/(2*length).
func (s Stage) timeOf(x float64) float64 {
	root := math.Sqrt(max(0, s.From*s.From+2*(s.To-s.From)*x/s.Length.Seconds()))
	return min(2*x/(s.From+root), s.Length.Seconds())
}

// stagedArrivals lets a process of rate one run, and bends its time so that the rate
// follows the stages. A change of rate then takes effect at once, whatever the
// gap that is under way.
type stagedArrivals struct {
	stages []Stage
	steady arrivals // of rate one
	before float64  // requests expected in the stages that are over
	start  float64  // when the present stage began
}

func newStages(s Spec, o *StagesOptions) (Pace, error) {
	if o.even() {
		return clock{&stagedArrivals{stages: o.Stages, steady: &summed{gap: func() float64 { return 1 }, scale: 1}}}, nil
	}
	return clock{drawnStages(s, o.Stages, o.Burstiness, largestPiece)}, nil
}

// drawnStages have random gaps and as many requests as their rates say, each stage for itself.
func drawnStages(s Spec, stages []Stage, burstiness, largest float64) *stagedArrivals {
	return &stagedArrivals{stages: stages, steady: newCounted(s.random(), burstiness, asked(stages).Requests, pieces(stages, largest))}
}

// pieces divides what the stages expect, each stage evenly, so that no piece expects more than largest.
func pieces(stages []Stage, largest float64) func() (float64, bool) {
	left, size := 0.0, 0.0
	return func() (float64, bool) {
		for left == 0 {
			if len(stages) == 0 {
				return 0, false
			}
			expected := stages[0].expected()
			left = math.Ceil(expected / largest)
			if size = expected / max(left, 1); math.IsInf(expected, 1) {
				size = largest
			}
			stages = stages[1:]
		}
		left--
		return size, true
	}
}

// rounding is by how much sums and products of rates and lengths may be off.
const rounding = 1e-12

func (s *stagedArrivals) next() (float64, bool) {
	at, ok := s.steady.next()
	for ok && len(s.stages) > 0 {
		stage := s.stages[0]
		if x := at - s.before; x <= stage.expected()*(1+rounding) {
			return s.start + stage.timeOf(x), true
		}
		s.before += stage.expected()
		s.start += stage.Length.Seconds()
		s.stages = s.stages[1:]
	}
	return 0, false
}
