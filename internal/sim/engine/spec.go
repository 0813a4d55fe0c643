package engine

import "math/rand/v2"

// speculator plays speculative decoding: k draft tokens per step, of which the
// first few are accepted.
type speculator struct {
	k          int
	acceptance float64

	drafts, draftTokens, accepted uint64
	acceptedAt                    []uint64
}

func newSpeculator(cfg BatchConfig) *speculator {
	return &speculator{k: cfg.SpecTokens, acceptance: cfg.SpecAcceptance, acceptedAt: make([]uint64, cfg.SpecTokens)}
}

// verify draws how many of n draft tokens are accepted: those before the first
// that is not. E[accepted] = p + p² + … + pⁿ.
func (sp *speculator) verify(n int, rng *rand.Rand) int {
	if n == 0 {
		return 0
	}
	sp.drafts++
	sp.draftTokens += uint64(n)
	hits := 0
	for hits < n && rng.Float64() < sp.acceptance {
		sp.acceptedAt[hits]++
		hits++
	}
	sp.accepted += uint64(hits)
	return hits
}
