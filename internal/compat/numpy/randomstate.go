package numpy

import (
	"math"
	"math/bits"
)

// RandomState draws as NumPy's legacy RandomState, which is also the global
// generator behind numpy.random.seed, gamma and randint.
type RandomState struct {
	mt       mt19937
	spare    float64 // the second value of the last Gaussian pair
	hasSpare bool
}

// NewRandomState seeds as numpy.random.RandomState(seed). NumPy refuses seeds of
// 2^32 and above; here they are seeded word by word, as NumPy seeds an array.
func NewRandomState(seed uint64) *RandomState {
	r := &RandomState{}
	if seed>>32 == 0 {
		r.mt.seedWord(uint32(seed))
	} else {
		r.mt.seedWords(words(seed))
	}
	return r
}

// Clone returns a generator that will give the same numbers from here on.
func (r *RandomState) Clone() *RandomState {
	c := *r
	return &c
}

// Float64 is random_sample(): uniform in [0, 1).
func (r *RandomState) Float64() float64 { return r.mt.nextFloat64() }

// Exponential is standard_exponential().
func (r *RandomState) Exponential() float64 { return -Log(1 - r.Float64()) }

// Gauss is standard_normal() by the polar method. Each second value is the
// spare of the pair before.
func (r *RandomState) Gauss() float64 {
	if r.hasSpare {
		r.hasSpare = false
		return r.spare
	}
	for {
		x := 2*r.Float64() - 1 // exact: no rounding to worry about
		y := 2*r.Float64() - 1
		// The conversions keep compilers for other machines from fusing the
		// multiplication and the addition, which would round once instead of twice.
		sq := float64(x*x) + float64(y*y)
		if sq < 1 && sq != 0 {
			f := math.Sqrt(-2 * Log(sq) / sq)
			r.spare, r.hasSpare = f*x, true
			return f * y
		}
	}
}

// Gamma is gamma(shape, scale): mean shape*scale.
func (r *RandomState) Gamma(shape, scale float64) float64 {
	return scale * r.StandardGamma(shape)
}

// StandardGamma is standard_gamma(shape).
func (r *RandomState) StandardGamma(shape float64) float64 {
	switch {
	case shape == 1:
		return r.Exponential()
	case shape == 0:
		return 0
	case shape < 1:
		return r.gammaBelowOne(shape)
	default:
		return r.gammaAboveOne(shape)
	}
}

// gammaBelowOne is the rejection method of Ahrens and Dieter.
func (r *RandomState) gammaBelowOne(shape float64) float64 {
	for {
		u, v := r.Float64(), r.Exponential()
		if u <= 1-shape {
			if x := Pow(u, 1/shape); x <= v {
				return x
			}
			continue
		}
		y := -Log((1 - u) / shape)
		x := Pow(1-shape+float64(shape*y), 1/shape)
		if x <= v+y {
			return x
		}
	}
}

// gammaAboveOne is the method of Marsaglia and Tsang.
func (r *RandomState) gammaAboveOne(shape float64) float64 {
	b := shape - 1.0/3
	c := 1 / math.Sqrt(9*b)
	for {
		var x, v float64
		for v <= 0 {
			x = r.Gauss()
			v = 1 + float64(c*x)
		}
		v = v * v * v
		u := r.Float64()
		xx := x * x
		if u < 1-float64(float64(0.0331*xx)*xx) {
			return b * v
		}
		if Log(u) < float64(0.5*x*x)+float64(b*(1-v+Log(v))) {
			return b * v
		}
	}
}

// Randint is randint(low, high): uniform in [low, high), by masking and
// rejection, one 32-bit word a try where the range allows it.
func (r *RandomState) Randint(low, high int64) int64 {
	span := uint64(high-low) - 1
	switch {
	case span == 0:
		return low
	case span <= math.MaxUint32:
		mask := uint32(1)<<bits.Len64(span) - 1
		for {
			if v := r.mt.nextUint32() & mask; uint64(v) <= span {
				return low + int64(v)
			}
		}
	default:
		mask := uint64(1)<<bits.Len64(span) - 1
		for {
			hi, lo := r.mt.nextUint32(), r.mt.nextUint32()
			if v := (uint64(hi)<<32 | uint64(lo)) & mask; v <= span {
				return low + int64(v)
			}
		}
	}
}
