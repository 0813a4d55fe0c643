package engine

import (
	"math/rand/v2"

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

func (s *seq) token(i int) int32 {
	if i < len(s.job.Prompt) {
		return s.job.Prompt[i]
	}
	return s.job.Answer.Token(i - len(s.job.Prompt))
}

// blockHash is the hash of block i and of all before it.
func (s *seq) blockHash(i, size int) uint64 {
	for len(s.hashes) <= i {
		h := random.FNVOffset ^ s.job.CacheSalt
		if n := len(s.hashes); n > 0 {
			h = s.hashes[n-1]
		}
		for k := len(s.hashes) * size; k < (len(s.hashes)+1)*size; k++ {
			h = random.Mix(h, uint64(uint32(s.token(k))))
		}
		s.hashes = append(s.hashes, h|1) // 0 means "no hash"
	}
	return s.hashes[i]
}
