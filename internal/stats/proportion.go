package stats

import "math"

// Wilson is the interval of a share by E. B. Wilson (1927): the shares that a score test
// does not reject. It stays within 0 and 1, and is no point where all or none are right.
func Wilson(right, of int, level float64) (low, high float64) {
	if of <= 0 {
		return 0, 1
	}
	z := NormalQuantile(0.5 + level/2)
	n, p := float64(of), float64(right)/float64(of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(middle-half, 0), min(middle+half, 1)
	if right <= 0 { // and not the last digits of a difference
		low = 0
	}
	if right >= of {
		high = 1
	}
	return low, high
}

// exactTrials is up to how many trials Tails counts exactly; the square of it is its time.
const exactTrials = 2000

// Tails says how likely at most and at least so many successes are in independent trials,
// each of which has its own chance. Up to 2,000 trials it is exact; beyond, a normal
// distribution that is corrected for skewness, at half a success from the whole number.
func Tails(chances []float64, successes int) (atMost, atLeast float64) {
	n := len(chances)
	switch {
	case successes < 0:
		return 0, 1
	case successes > n:
		return 1, 0
	case n > exactTrials:
		return refinedNormal(chances, float64(successes)+0.5), 1 - refinedNormal(chances, float64(successes)-0.5)
	}
	likely := make([]float64, n+1) // that there are so many successes
	likely[0] = 1
	for i, p := range chances {
		for k := i + 1; k > 0; k-- {
			likely[k] = likely[k]*(1-p) + likely[k-1]*p
		}
		likely[0] *= 1 - p
	}
	for k, p := range likely {
		if k <= successes {
			atMost += p
		}
		if k >= successes {
			atLeast += p
		}
	}
	return min(atMost, 1), min(atLeast, 1)
}

// refinedNormal is about the likelihood of fewer than x successes.
func refinedNormal(chances []float64, x float64) float64 {
	var mean, variance, third float64
	for _, p := range chances {
		mean += p
		variance += p * (1 - p)
		third += p * (1 - p) * (1 - 2*p)
	}
	if variance == 0 {
		if x < mean {
			return 0
		}
		return 1
	}
	deviation := math.Sqrt(variance)
	z := (x - mean) / deviation
	skewness := third / (variance * deviation)
	normal := math.Erfc(-z/math.Sqrt2) / 2
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return min(max(normal+skewness*(1-z*z)*density/6, 0), 1)
}
