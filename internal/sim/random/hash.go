// Package random holds the simulator's chances: hashes that choose texts and faults, and the distributions of
// its delays. Everything is drawn from a hash of a request's key, not from a shared generator: a request's
// text, delays and fault don't depend on the requests before it.
package random

import "math/rand/v2"

// Each purpose has a salt, so that its draws are independent of the others.
const (
	SaltFault uint64 = iota + 1
	SaltCut
	SaltCoin
	SaltTiming
	SaltText
	SaltEOS
	SaltSpec
)

// Mix hashes two words: it is the finaliser of SplitMix64.
func Mix(a, b uint64) uint64 {
	x := a + b*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Unit maps a hash to [0, 1).
func Unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// FNVOffset is where a hash starts.
const FNVOffset, fnvPrime = 0xcbf29ce484222325, 0x100000001b3

// HashString hashes the bytes of s.
func HashString(s string) uint64 {
	h := uint64(FNVOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// HashTokens continues the hash h with token ids.
func HashTokens(h uint64, ids []int32) uint64 {
	for _, id := range ids {
		h = Mix(h, uint64(uint32(id)))
	}
	return h
}

// NewRand is the generator of a request's delays.
func NewRand(key uint64) *rand.Rand { return rand.New(rand.NewPCG(key, SaltTiming)) }
