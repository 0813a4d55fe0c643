package stats

import "math"

// The statistics below follow NumPy operation by operation, since a result must
// equal vLLM's to the last digit on the same values. Every product that is then
// added is wrapped in float64(…): Go may otherwise fuse the two into one rounding
// on some processors, and NumPy does not.

// pairwise adds as NumPy's add.reduce does: the sum of two halves, split at a
// multiple of eight, down to parts of at most 128 values, which leaf adds up.
func pairwise(v []float64, leaf func([]float64) float64) float64 {
	n := len(v)
	if n <= leafLen {
		return leaf(v)
	}
	half := n / 2
	half -= half % 8
	return pairwise(v[:half], leaf) + pairwise(v[half:], leaf)
}

const leafLen = 128

// sumOfLeaf adds up to 128 values as NumPy does: with eight running sums.
func sumOfLeaf(v []float64) float64 {
	n := len(v)
	if n < 8 {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		return sum
	}
	var r [8]float64
	copy(r[:], v)
	i := 8
	for ; i < n-n%8; i += 8 {
		for k, x := range v[i : i+8] {
			r[k] += x
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < n; i++ {
		sum += v[i]
	}
	return sum
}

// Mean is np.mean; 0 for no values, as vLLM's `np.mean(values or 0)`.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	return pairwise(v, sumOfLeaf) / float64(len(v))
}

// Std is np.std: of the population, not of a sample (ddof 0).
func Std(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	m := Mean(v)
	squares := pairwise(v, func(part []float64) float64 {
		var room [leafLen]float64
		squares := room[:len(part)]
		for i, x := range part {
			d := x - m
			squares[i] = d * d
		}
		return sumOfLeaf(squares)
	})
	return math.Sqrt(squares / float64(len(v)))
}

// Median is np.median of sorted values. It is not always Percentile(50): with an
// even count NumPy halves a sum here and interpolates there.
func Median(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return Mean(sorted[n/2-1 : n/2+1])
}

// Percentile is np.percentile (0 to 100) with the linear rule, of sorted values: the value
// at position p/100·(n−1), between neighbours by interpolation from the nearer one. It is
// the one rule for percentiles that are shown; 0 for no values.
func Percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	below, t := Position(len(sorted), p)
	if below == len(sorted)-1 {
		return sorted[below]
	}
	return Interpolate(sorted[below], sorted[below+1], t)
}

// Position is where percentile p lies among n sorted values: a rank, and how far
// it is on the way to the next.
func Position(n int, p float64) (below int, t float64) {
	at := p / 100 * float64(n-1)
	floor := math.Floor(at)
	switch {
	case floor >= float64(n-1):
		return n - 1, 0
	case floor < 0:
		return 0, 0
	}
	return int(floor), at - floor
}

// Interpolate is the value at part t of the way from a to b.
func Interpolate(a, b, t float64) float64 {
	diff := b - a
	if t >= 0.5 {
		return b - float64(diff*(1-t))
	}
	return a + float64(diff*t)
}

// MeanDeviation gives the mean and the deviation of a sample (n-1), as llama-bench does.
func MeanDeviation(v []float64) (avg, deviation float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	avg = Mean(v)
	if len(v) == 1 {
		return avg, 0
	}
	sum := 0.0
	for _, x := range v {
		sum += (x - avg) * (x - avg)
	}
	return avg, math.Sqrt(sum / float64(len(v)-1))
}
