package job

import (
	"cmp"
	"math"
	"slices"
)

// Seen is for how long a job was seen, in seconds, and whether that is its whole time. One that the end of the run cut off
// would have taken longer, nobody knows how much.
type Seen struct {
	Time float64
	Done bool
}

// Survival is the distribution of the time of jobs of which some were cut off, by Kaplan and Meier: each counts for as long
// as it was seen. The done ones alone are the short ones among them, since a long job is cut off more often.
type Survival struct{ times, left []float64 }

// NewSurvival sorts what it is given.
func NewSurvival(seen []Seen) *Survival {
	// At the same time those that were done come first: one that was cut off then was still there.
	slices.SortFunc(seen, func(a, b Seen) int {
		if a.Time == b.Time && a.Done != b.Done {
			if a.Done {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Time, b.Time)
	})
	s, left := &Survival{}, 1.0
	for i := 0; i < len(seen); {
		at, risk, done := seen[i].Time, len(seen)-i, 0
		for ; i < len(seen) && seen[i].Time == at; i++ {
			if seen[i].Done {
				done++
			}
		}
		if done > 0 {
			left *= float64(risk-done) / float64(risk)
			s.times, s.left = append(s.times, at), append(s.left, left)
		}
	}
	return s
}

// Percentile is NaN where too many were cut off to know it.
func (s *Survival) Percentile(p float64) float64 {
	const rounding = 1e-12
	i, _ := slices.BinarySearchFunc(s.left, 1-p/100, func(left, want float64) int {
		if left > want+rounding {
			return -1
		}
		return 1
	})
	if i == len(s.times) {
		return math.NaN()
	}
	return s.times[i]
}
