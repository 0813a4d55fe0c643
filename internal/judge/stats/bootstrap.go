package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Resampler draws samples from samples, for the interval of a statistic that has
// no formula. It is seeded: the same seed and the same values give the same draws.
type Resampler struct{ random *rand.Rand }

// NewResampler returns a resampler that begins at a seed.
func NewResampler(seed uint64) *Resampler {
	return &Resampler{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// Blocks fills dst with blocks of src, which is in the order of time and taken as
// a ring. Their lengths are random with this mean (the stationary bootstrap of
// Politis and Romano), so that what follows what within a block stays as it was. A
// mean of one draws values one by one.
func (r *Resampler) Blocks(dst, src []float64, mean float64) {
	if len(src) == 0 {
		return
	}
	at := 0
	for i := range dst {
		at++
		if i == 0 || at == len(src) || r.random.Float64()*mean < 1 {
			at = r.random.IntN(len(src))
		}
		dst[i] = src[at]
	}
}

// BlockLength is the mean length of blocks for a series with this dependence:
//
//	(2ρ / (1 − ρ²))^⅔ · n^⅓,   ρ = (τ − 1)/(τ + 1)
//
// which is Carlstein's for a first-order process with the same τ. At least one.
func BlockLength(n int, d Dependence) float64 {
	rho := (d.Time - 1) / (d.Time + 1)
	if rho <= 0 {
		return 1
	}
	length := math.Pow(2*rho/(1-rho*rho), 2.0/3) * math.Cbrt(float64(n))
	return min(max(length, 1), max(float64(n)/4, 1))
}

// Replicates calls draw so many times and returns what it gave, sorted.
func Replicates(times int, draw func() float64) []float64 {
	out := make([]float64, times)
	for i := range out {
		out[i] = draw()
	}
	slices.Sort(out)
	return out
}

// Central are the ends of the middle part of sorted values that holds this share of them.
func Central(sorted []float64, level float64) (low, high float64) {
	if len(sorted) == 0 {
		return math.NaN(), math.NaN()
	}
	tail := (1 - level) / 2 * float64(len(sorted))
	below := min(int(tail), (len(sorted)-1)/2)
	return sorted[below], sorted[len(sorted)-1-below]
}
