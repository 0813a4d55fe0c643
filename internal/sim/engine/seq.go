package engine

import (
	"math/rand/v2"
	"slices"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// seq is a job inside the batch engine.
type seq struct {
	job      *Job
	arrived  int64 // pump time
	made     int   // tokens generated
	computed int   // tokens whose KV is in blocks
	blocks   []*block

	hashes     []uint64 // of full blocks, as far as they were asked for
	registered int      // blocks that the prefix cache has seen
	admitted   bool     // has left the queue once
	unsent     int      // tokens made but not yet handed over
	rng        *rand.Rand
}

func newSeq(j *Job) *seq {
	return &seq{job: j, rng: rand.New(rand.NewPCG(j.Key, random.SaltSpec))}
}

// known is how many tokens the sequence has: the prompt and what was made.
func (s *seq) known() int { return len(s.job.Prompt) + s.made }

// decoding tells that only the newest token is left to compute.
func (s *seq) decoding() bool { return s.made > 0 && s.known()-s.computed == 1 }

// tokens are those from one up to another.
func (s *seq) tokens(from, to int) []int32 {
	prompt := s.job.Prompt
	if to <= len(prompt) {
		return prompt[from:to]
	}
	out := slices.Clone(prompt[min(from, len(prompt)):])
	for i := from + len(out); i < to; i++ {
		out = append(out, s.job.Answer.Token(i-len(prompt)))
	}
	return out
}

// blockHash is the hash of block i and of all before it.
func (s *seq) blockHash(i, size int) uint64 {
	for len(s.hashes) <= i {
		h := random.FNVOffset ^ s.job.CacheSalt
		n := len(s.hashes)
		if n > 0 {
			h = s.hashes[n-1]
		}
		s.hashes = append(s.hashes, blockHash(h, s.tokens(n*size, (n+1)*size)))
	}
	return s.hashes[i]
}

// blockHash is the hash of a block's tokens, given that of all before them.
func blockHash(before uint64, tokens []int32) uint64 {
	return random.HashTokens(before, tokens) | 1 // 0 means "no hash"
}
