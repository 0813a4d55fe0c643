package sim

import "math/rand/v2"

// The sim draws everything from hashes of a key rather than from one shared
// generator: a request's text, delays and fault then do not depend on what
// other requests came before it.

const (
	saltFault uint64 = iota + 1
	saltCut
	saltCoin
	saltTiming
	saltText
	saltEOS
	saltSpec
)

// mix is the finaliser of SplitMix64 over two words.
func mix(a, b uint64) uint64 {
	x := a + b*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps a hash to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

const fnvOffset, fnvPrime = 0xcbf29ce484222325, 0x100000001b3

func hashString(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

func hashTokens(h uint64, ids []int32) uint64 {
	for _, id := range ids {
		h = mix(h, uint64(uint32(id)))
	}
	return h
}

// newRand is the generator of a request's delays.
func newRand(key uint64) *rand.Rand { return rand.New(rand.NewPCG(key, saltTiming)) }
