package clock

import (
	"math"
	"slices"
)

const (
	// A slope needs marks of so much time, so many of them, and bounds that are narrow beside it.
	leastSpan   = int64(20e9)
	leastMarks  = 8
	mostUnclear = 3e-6 // of a slope between two marks at the ends; more marks make up for wider bounds

	mostPairs = 128 // marks that are paired; more say no more
)

// Drift is how much faster the agent's clock runs than the leader's, as a part of the time
// that passes (1e-6 is 1 ppm), since a clock was last set. It is the median of the slopes
// between all pairs of moments far from each other (Theil and Sen), which single exchanges
// that were slow on one way do not move. ok is false while the exchanges are too few or too
// close together.
func (e *Estimator) Drift() (slope float64, ok bool) {
	var own []mark
	for _, m := range e.marks {
		if m.era == e.era {
			own = append(own, m)
		}
	}
	if len(own) < leastMarks {
		return 0, false
	}
	span := own[len(own)-1].at - own[0].at
	if span < leastSpan {
		return 0, false
	}
	every := (len(own) + mostPairs - 1) / mostPairs
	var slopes, widths []float64
	for i := 0; i < len(own); i += every {
		a := own[i]
		widths = append(widths, float64(a.width()))
		for j := i + every; j < len(own); j += every {
			if b := own[j]; b.at-a.at >= span/4 {
				slopes = append(slopes, (float64(b.low-a.low)+float64(b.high-a.high))/2/float64(b.at-a.at))
			}
		}
	}
	slices.Sort(widths)
	slices.Sort(slopes)
	if len(slopes) == 0 || 2*widths[len(widths)/2]/float64(span) > mostUnclear*math.Sqrt(float64(len(widths))/2) {
		return 0, false
	}
	return slopes[len(slopes)/2], true
}
