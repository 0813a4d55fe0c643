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
	share := 1 - probability // that lies above
	t := NormalQuantile(probability)
	switch {
	case !(t > 0 && degrees > 0): // the middle, or what is no number
		return 0
	case share <= 0:
		return mostT
	}
	// Newton's steps in logarithms, where the tail is concave and a line far out: the first one goes beyond the quantile, or
	// to it, and the others come back to it without passing it. The start is not beyond: the normal tail is the thinner one.
	front := lgamma((degrees+1)/2) - lgamma(degrees/2) - math.Log(degrees*math.Pi)/2
	for n := range mostSteps {
		above := StudentTail(t, degrees) / 2
		density := math.Exp(front - (degrees+1)/2*math.Log1p(t*t/degrees))
		next := min(t*math.Exp(math.Log(above/share)*above/(t*density)), mostT)
		if n > 0 && !(next < t) {
			break
		}
		t = next
	}
	return t
}

const (
	mostSteps = 60  // they are some five
	mostT     = 1e9 // of a share that is none
)

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
