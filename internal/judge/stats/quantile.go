package stats

import (
	"math"
	"slices"
)

// NormalQuantile is the value below which a standard normal lies with this probability.
func NormalQuantile(probability float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*probability-1)
}

// manyDegrees is where Student's distribution is the normal one to four digits.
const manyDegrees = 1e5

// StudentQuantile is the same for Student's t with so many degrees of freedom,
// whole or not; fewer than one count as one.
func StudentQuantile(probability, degrees float64) float64 {
	switch {
	case probability < 0.5:
		return -StudentQuantile(1-probability, degrees)
	case degrees >= manyDegrees:
		return NormalQuantile(probability)
	}
	degrees = max(degrees, 1)
	above := func(t float64) float64 { return StudentTail(t, degrees) / 2 }
	low, high := 0.0, 2.0
	for above(high) > 1-probability && high < 1e9 {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; above(middle) > 1-probability {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// StudentTail is the probability that Student's t is at least this far from zero, on
// either side.
func StudentTail(t, degrees float64) float64 {
	if degrees >= manyDegrees {
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	return regularizedBeta(degrees/2, 0.5, degrees/(degrees+t*t))
}

// WelchDegrees are the degrees of freedom of a sum of variances that are known with
// degrees of their own, by Welch and Satterthwaite: between the least of theirs and
// their sum. Infinite ones are known exactly.
func WelchDegrees(variances, degrees []float64) float64 {
	sum, spread := 0.0, 0.0
	for i, v := range variances {
		sum += v
		spread += v * v / degrees[i]
	}
	if spread == 0 {
		return slices.Min(degrees)
	}
	return sum * sum / spread
}
