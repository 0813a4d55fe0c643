package numpy

import (
	"math"
	"math/bits"
)

// Generator draws as numpy.random.default_rng: PCG64 under NumPy's Generator.
type Generator struct {
	hi, lo       uint64 // state of 128 bits
	incHi, incLo uint64
	half         uint32 // the unused upper half of the last 64 bits
	hasHalf      bool
}

const (
	pcgMulHi = 2549297995355413924
	pcgMulLo = 4865540595714422341
)

// NewGenerator seeds as numpy.random.default_rng(seed).
func NewGenerator(seed uint64) *Generator {
	s := seedSequence(words(seed))
	g := &Generator{incHi: s[2]<<1 | s[3]>>63, incLo: s[3]<<1 | 1}
	g.step()
	var carry uint64
	g.lo, carry = bits.Add64(g.lo, s[1], 0)
	g.hi, _ = bits.Add64(g.hi, s[0], carry)
	g.step()
	return g
}

// Clone returns a generator that will give the same numbers from here on.
func (g *Generator) Clone() *Generator {
	c := *g
	return &c
}

func (g *Generator) step() {
	hi, lo := bits.Mul64(g.lo, pcgMulLo)
	hi += g.hi*pcgMulLo + g.lo*pcgMulHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, g.incLo, 0)
	g.hi, _ = bits.Add64(hi, g.incHi, carry)
}

// Uint64 gives the next 64 bits. A half left over by Uint32 stays for Uint32.
func (g *Generator) Uint64() uint64 {
	g.step()
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

// Uint32 gives the next 32 bits: the lower half of 64 first, then the upper.
func (g *Generator) Uint32() uint32 {
	if g.hasHalf {
		g.hasHalf = false
		return g.half
	}
	v := g.Uint64()
	g.half, g.hasHalf = uint32(v>>32), true
	return uint32(v)
}

// Random is random(): uniform in [0, 1).
func (g *Generator) Random() float64 { return float64(g.Uint64()>>11) / (1 << 53) }

// Integers is one element of integers(low, high, size=n): uniform in [low, high)
// by Lemire's method. A range of one value draws nothing.
func (g *Generator) Integers(low, high int64) int64 {
	span := uint64(high-low) - 1
	switch {
	case span == 0:
		return low
	case span == math.MaxUint32:
		return low + int64(g.Uint32())
	case span < math.MaxUint32:
		return low + int64(g.below32(uint32(span)+1))
	case span == math.MaxUint64:
		return low + int64(g.Uint64())
	default:
		return low + int64(g.below64(span+1))
	}
}

func (g *Generator) below32(n uint32) uint32 {
	m := uint64(g.Uint32()) * uint64(n)
	if uint32(m) < n {
		for threshold := -n % n; uint32(m) < threshold; {
			m = uint64(g.Uint32()) * uint64(n)
		}
	}
	return uint32(m >> 32)
}

func (g *Generator) below64(n uint64) uint64 {
	hi, lo := bits.Mul64(g.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(g.Uint64(), n)
		}
	}
	return hi
}

// Shuffle is Generator.shuffle, and permutation of a shuffled range: unlike Integers it
// draws by masks.
func (g *Generator) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(g.interval(uint64(i))))
	}
}

// interval draws from 0 to last, both included.
func (g *Generator) interval(last uint64) uint64 {
	mask := uint64(1)<<bits.Len64(last) - 1
	for {
		var v uint64
		if last <= math.MaxUint32 {
			v = uint64(g.Uint32())
		} else {
			v = g.Uint64()
		}
		if v &= mask; v <= last {
			return v
		}
	}
}
