package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/stats"
)

// Interim analyses: whoever tests a growing series after each round, and stops at the
// first significant result, is wrong far more often than once in twenty. So each
// analysis gets a lower significance level. Which one is known: the t statistics of
// rounds that do not differ follow one law, whatever the metric and its spread.
// analysisLevel draws many such series and gives every analysis the same level
// (Pocock's bound, for Student's t), the highest with which the chance of a false
// positive at any of them is alpha. An analysis looks at two estimates, the mean and the
// trimmed mean, and takes the sharper one: a positive of either counts as one here, so that the choice is paid for.

// nullSeries are drawn to find it; the error of alpha is some 0.1 points of 5.
const nullSeries = 40_000

// nulls are the looks at series without a difference, one line per series.
type nulls struct {
	least  int // rounds of the first look
	series [][]nullLook
}

// level is that of a single look.
func (d nulls) level(alpha float64) float64 {
	// Between all analyses telling the same and each telling something new.
	low, high := alpha/float64(len(centres)*len(d.series[0])), alpha
	for range 14 {
		middle := math.Sqrt(low * high)
		if d.positives(middle) > alpha {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// look is the significance level of one analysis: of the interval that is shown, and of calling a change real.
type look struct{ level, real float64 }

// look shares the error out among several metrics (Bonferroni).
func (d nulls) look(level float64, metrics int) look {
	n := float64(metrics)
	return look{d.level((1 - level) / n), d.level((1 - sureLevel(level)) / n)}
}

// sureLevel is with which confidence a change is called real, where intervals are shown at this level: a false
// "real" sends people the wrong way, and is to be five times as rare as an interval that misses.
func sureLevel(level float64) float64 { return 1 - (1-level)/5 }

// nullLook is one analysis of rounds without a difference: the sizes of t of both estimates.
type nullLook struct{ mean, trimmed float64 }

func drawNull(least, most int) nulls {
	random := rand.New(rand.NewPCG(7, 1908)) // always the same: so is the answer
	series := make([][]nullLook, nullSeries)
	sorted := make([]float64, 0, most)
	for i := range series {
		var m stats.Moments
		sorted = sorted[:0]
		for n := 1; n <= most; n++ {
			v := random.NormFloat64()
			m.Add(v)
			at, _ := slices.BinarySearch(sorted, v)
			sorted = slices.Insert(sorted, at, v)
			if n < least {
				continue
			}
			look := nullLook{mean: math.Abs(m.Mean) / m.StdError()}
			if c := trimmedSorted(sorted); c.degrees > 0 {
				look.trimmed = c.t()
			}
			series[i] = append(series[i], look)
		}
	}
	return nulls{least, series}
}

// positives is the share of series in which some analysis finds a difference.
func (d nulls) positives(level float64) float64 {
	bounds := make([]nullLook, len(d.series[0]))
	for i := range bounds {
		n := d.least + i
		bounds[i] = nullLook{stats.StudentQuantile(1-level/2, float64(n-1)), math.Inf(1)}
		if out := trimmed(n); out > 0 {
			bounds[i].trimmed = stats.StudentQuantile(1-level/2, float64(n-2*out-1))
		}
	}
	count := 0
	for _, line := range d.series {
		for i, look := range line {
			if look.mean > bounds[i].mean || look.trimmed > bounds[i].trimmed {
				count++
				break
			}
		}
	}
	return float64(count) / float64(len(d.series))
}
