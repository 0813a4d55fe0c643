package startup

import (
	"slices"
	"time"
)

const (
	// steadyAnswers are asked for after a start, one after the other.
	steadyAnswers = 6
	// steadyShare is by how much an answer may be slower than the later ones and still be at their speed.
	steadyShare = 0.10
)

// SteadyAnswer is the first answer at the speed that the later half has: its time per token, or its whole time where it has
// one token, is at most 10 % above their median. ok is false where none is before the last: it was still getting faster.
func SteadyAnswer(all []Answer) (i int, ok bool) {
	if len(all) < 2 {
		return 0, false
	}
	limit := time.Duration(float64(Speed(all)) * (1 + steadyShare))
	for i := range all[:len(all)-1] {
		if all[i].pace() <= limit {
			return i, true
		}
	}
	return 0, false
}

// Speed is the median time per token of the later half.
func Speed(all []Answer) time.Duration {
	var later []time.Duration
	for _, a := range all[len(all)/2:] {
		later = append(later, a.pace())
	}
	slices.Sort(later)
	return later[len(later)/2]
}

// pace is what is compared of an answer.
func (a *Answer) pace() time.Duration {
	if gap := a.Gap(); gap > 0 {
		return gap
	}
	return a.Whole
}
