package compare

import (
	"math"
	"math/rand/v2"

	"github.com/inferometer/inferometer/internal/judge/stats"
)

// Interim analyses: whoever tests a growing series after each round, and stops at the
// first significant result, is wrong far more often than once in twenty. So each
// analysis gets a lower significance level. Which one is known: the t statistics of
// rounds that do not differ follow one law, whatever the metric and its spread.
// analysisLevel draws many such series and gives every analysis the same level
// (Pocock's bound, for Student's t), the highest with which the chance of a false
// positive at any of them is alpha.

// nullSeries are drawn to find it; the error of alpha is some 0.1 points of 5.
const nullSeries = 40_000

// analysisLevel is the significance level of a single analysis, where one is made
// after each of the rounds least … most.
func analysisLevel(alpha float64, least, most int) float64 {
	series := drawNull(least, most)
	// Between all analyses telling the same and each telling something new.
	low, high := alpha/float64(most-least+1), alpha
	for range 20 {
		middle := math.Sqrt(low * high)
		if falsePositives(series, middle, least) > alpha {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// drawNull gives the sizes of t of series without a difference, one line per series.
func drawNull(least, most int) [][]float64 {
	random := rand.New(rand.NewPCG(7, 1908)) // always the same: so is the answer
	series := make([][]float64, nullSeries)
	for i := range series {
		var m stats.Moments
		for n := 1; n <= most; n++ {
			m.Add(random.NormFloat64())
			if n >= least {
				series[i] = append(series[i], math.Abs(m.Mean)/m.StdError())
			}
		}
	}
	return series
}

// falsePositives is the share of series in which some analysis finds a difference.
func falsePositives(series [][]float64, level float64, least int) float64 {
	bounds := make([]float64, len(series[0]))
	for i := range bounds {
		bounds[i] = stats.StudentQuantile(1-level/2, float64(least+i-1))
	}
	count := 0
	for _, line := range series {
		for i, t := range line {
			if t > bounds[i] {
				count++
				break
			}
		}
	}
	return float64(count) / float64(len(series))
}
