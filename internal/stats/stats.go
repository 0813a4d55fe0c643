// Package stats holds the statistics: those of a list of values, as vLLM's are to the
// last digit, and those behind intervals, which say how far a number that was measured
// once may lie from what the same system would show in the long run.
//
//   - numpy.go, select.go: mean, deviation, median and percentiles by NumPy's rules;
//   - moments.go: running count, mean, variance and range;
//   - order.go: between which values of a sample a percentile lies, without
//     knowing the distribution (order statistics, exact binomial);
//   - longrun.go: how many independent values a correlated series is worth;
//   - chain.go: the intervals of a mean and of a percentile of such a series;
//   - batch.go: the interval of a rate, from batches of time;
//   - mcnemar.go: whether two answer the same questions equally well, and by how much not;
//   - quantile.go: Student's and the normal distribution, and Welch's degrees of freedom.
//
// It imports only the standard library, keeps no state and draws no random number:
// the same values give the same interval, always.
package stats

import "math"

// regularizedBeta is I_x(a, b), by its continued fraction. The fraction needs some
// √max(a, b) steps, so that a binomial of ten million is no matter.
func regularizedBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction is slow, its mirror image is fast
		return 1 - regularizedBeta(b, a, 1-x)
	}
	front := math.Exp(lgamma(a+b) - lgamma(a) - lgamma(b) + a*math.Log(x) + b*math.Log1p(-x))
	return front * betaFraction(a, b, x) / a
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// betaFraction evaluates the fraction from its head, by Lentz's method.
func betaFraction(a, b, x float64) float64 {
	const tiny, enough = 1e-300, 1e-14
	away := func(v float64) float64 { // from zero, by which is divided
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	value := d
	for m := 1.0; m < 1e6; m++ {
		for _, term := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d, c = 1/away(1+term*d), away(1+term/c)
			value *= d * c
		}
		if !(math.Abs(d*c-1) >= enough) { // also where it is no number: it would never be near
			break
		}
	}
	return value
}
