package measure

import (
	"math"
	"slices"
)

// The statistics below follow NumPy operation by operation, since a result must
// equal vLLM's to the last digit on the same values. Every product that is then
// added is wrapped in float64(…): Go may otherwise fuse the two into one rounding
// on some processors, and NumPy does not.

// pairwiseSum adds as NumPy's add.reduce does: eight running sums for up to 128
// values, and above that the sum of two halves, split at a multiple of eight.
func pairwiseSum(v []float64) float64 {
	n := len(v)
	if n < 8 {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		return sum
	}
	if n > 128 {
		half := n / 2
		half -= half % 8
		return pairwiseSum(v[:half]) + pairwiseSum(v[half:])
	}
	var r [8]float64
	copy(r[:], v)
	i := 8
	for ; i < n-n%8; i += 8 {
		for k := range r {
			r[k] += v[i+k]
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < n; i++ {
		sum += v[i]
	}
	return sum
}

// mean is np.mean; 0 for no values, as vLLM's `np.mean(values or 0)`.
func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return pairwiseSum(v) / float64(len(v))
}

// std is np.std: of the population, not of a sample (ddof 0).
func std(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	m := mean(v)
	squares := make([]float64, len(v))
	for i, x := range v {
		d := x - m
		squares[i] = d * d
	}
	return math.Sqrt(mean(squares))
}

// median is np.median of sorted values. It is not always percentile(50): with an
// even count NumPy halves a sum here and interpolates there.
func median(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return mean(sorted[n/2-1 : n/2+1])
}

// percentile is np.percentile with the linear rule, of sorted values:
// the value at position p/100·(n−1), between neighbours by interpolation from the nearer one.
func percentile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	at := p / 100 * float64(n-1)
	below := math.Floor(at)
	if below >= float64(n-1) {
		return sorted[n-1]
	}
	if below < 0 {
		return sorted[0]
	}
	a, b := sorted[int(below)], sorted[int(below)+1]
	t, diff := at-below, b-a
	if t >= 0.5 {
		return b - float64(diff*(1-t))
	}
	return a + float64(diff*t)
}

func sortedCopy(v []float64) []float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return s
}
