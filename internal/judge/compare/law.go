package compare

import (
	"math"
	"sort"

	"github.com/inferometer/inferometer/internal/stats"
)

// mixture is the law of an error whose size is not known: normal with each of some sizes, by how likely they are.
type mixture []part

type part struct{ weight, below, above float64 } // standard errors towards smaller and larger values

// unlikely is a weight that changes no answer.
const unlikely = 1e-9

// over is the law of b − a. Both have the same sizes of drift.
func (b mixture) over(a mixture) mixture {
	var out mixture
	for i := range b {
		if b[i].weight > unlikely {
			out = append(out, part{b[i].weight, math.Hypot(b[i].below, a[i].above), math.Hypot(b[i].above, a[i].below)})
		}
	}
	return out
}

// means are the standard errors over all sizes.
func (m mixture) means() (below, above float64) {
	for _, p := range m {
		below += p.weight * p.below * p.below
		above += p.weight * p.above * p.above
	}
	return math.Sqrt(below), math.Sqrt(above)
}

// typical is the mean size of the error: the large drifts that are possible and unlikely count for less than in means.
func (m mixture) typical() float64 {
	sum := 0.0
	for _, p := range m {
		sum += p.weight * (p.below + p.above) / 2
	}
	return sum
}

// beyond is the probability of an error of more than x towards one side.
func (m mixture) beyond(x float64, above bool) float64 {
	sum := 0.0
	for _, p := range m {
		err := p.below
		if above {
			err = p.above
		}
		if err > 0 {
			sum += p.weight * math.Erfc(x/err/math.Sqrt2) / 2
		}
	}
	return sum
}

// reach is the error that is passed with this probability.
func (m mixture) reach(share float64, above bool) float64 {
	low, high := 0.0, 0.01
	for m.beyond(high, above) > share && high < 100 {
		low, high = high, 2*high
	}
	for range 30 {
		if middle := (low + high) / 2; m.beyond(middle, above) > share {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// reach is how far the change may lie above or below what was measured, but for this share of cases, by chance alone.
func (c *Change) reach(share float64, above bool) float64 {
	if c.mixed != nil {
		return c.mixed.reach(share, above)
	}
	err := c.below
	if above {
		err = c.above
	}
	return stats.StudentQuantile(1-share, c.degrees) * err
}

// tail is the probability that noise alone gives a change of this size, on either side, beyond
// what its values may be off by anyway.
func (c *Change) tail() float64 {
	size, above := c.log-c.under, false // towards no change
	if c.log < 0 {
		size, above = -c.log-c.over, true
	}
	err := c.below
	if above {
		err = c.above
	}
	switch {
	case size <= 0:
		return 1
	case c.mixed != nil:
		return min(2*c.mixed.beyond(size, above), 1)
	case err == 0:
		return 0
	}
	return stats.StudentTail(size/err, c.degrees)
}

// interval holds the true change but for this share of cases.
func (c *Change) interval(share float64) (low, high float64) {
	return relative(c.log - c.under - c.reach(share/2, false)), relative(c.log + c.over + c.reach(share/2, true))
}

// MaxRuns is up to where it is told how many runs would decide.
const MaxRuns = 99

// needs is how many runs per side would decide a change of this size, called real four times in five: 0 where more than MaxRuns
// would not. each is the share of error of one number.
func (c *Change) needs(size, each float64) int {
	size -= (c.under + c.over) / 2
	least := max(c.Runs+1, 2)
	more := sort.Search(max(MaxRuns+1-least, 0), func(more int) bool { // each further run decides smaller changes
		n := least + more
		degrees := float64(2*(n-1)) + priorDegrees
		if c.mixed == nil {
			degrees = float64(2 * (n - 1))
		}
		err := c.each / math.Sqrt(float64(n))
		return err*(stats.StudentQuantile(1-each/2, degrees)+stats.StudentQuantile(0.8, degrees)) <= size
	})
	if least+more <= MaxRuns {
		return least + more
	}
	return 0
}
