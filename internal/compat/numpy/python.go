package numpy

import (
	"math"
	"math/bits"
)

// Python draws as the random module of CPython 3.
type Python struct{ mt mt19937 }

// NewPython seeds as random.Random(seed).
func NewPython(seed uint64) *Python {
	p := &Python{}
	p.mt.seedWords(words(seed))
	return p
}

// Clone returns a generator that will give the same numbers from here on.
func (p *Python) Clone() *Python {
	c := *p
	return &c
}

// Random is random(): uniform in [0, 1).
func (p *Python) Random() float64 { return p.mt.nextFloat64() }

// Bits is getrandbits(k) for k from 0 to 64. Longer draws take low words first.
func (p *Python) Bits(k int) uint64 {
	switch {
	case k == 0:
		return 0
	case k <= 32:
		return uint64(p.mt.nextUint32() >> (32 - k))
	default:
		low := uint64(p.mt.nextUint32())
		return low | uint64(p.mt.nextUint32()>>(64-k))<<32
	}
}

// Below is uniform in [0, n): the draw behind shuffle, choice and randrange.
// choice(s) is s[Below(len(s))].
func (p *Python) Below(n int) int {
	if n <= 0 {
		panic("nprand: Below needs a positive bound")
	}
	k := bits.Len64(uint64(n))
	for {
		if v := p.Bits(k); v < uint64(n) {
			return int(v)
		}
	}
}

// Shuffle is shuffle() of a list of n elements that swap exchanges.
func (p *Python) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, p.Below(i+1))
	}
}

// Choices gives one index of choices() over n elements of equal weight. Unlike
// choice it scales a double.
func (p *Python) Choices(n int) int { return int(math.Floor(p.Random() * float64(n))) }

// Sample is sample(range(n), k): k different indices in the order drawn.
func (p *Python) Sample(n, k int) []int {
	if k < 0 || k > n {
		panic("nprand: Sample needs 0 <= k <= n")
	}
	picked := make([]int, k)
	if n <= sampleSetSize(k) {
		pool := make([]int, n)
		for i := range pool {
			pool[i] = i
		}
		for i := range picked {
			j := p.Below(n - i)
			picked[i] = pool[j]
			pool[j] = pool[n-i-1]
		}
		return picked
	}
	seen := make(map[int]bool, k)
	for i := range picked {
		j := p.Below(n)
		for seen[j] {
			j = p.Below(n)
		}
		seen[j] = true
		picked[i] = j
	}
	return picked
}

// sampleSetSize is CPython's estimate of the size of a set of k elements. Up to
// that population it copies the population, above it remembers what it drew; the
// two ways draw differently, so the border matters.
func sampleSetSize(k int) int {
	size := 21
	if k > 5 {
		size += 1 << (2 * int(math.Ceil(math.Log(float64(k*3))/math.Log(4))))
	}
	return size
}
