package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// tokensOf is an answer of ids that nothing else has.
type tokensOf int32

func (a tokensOf) Token(i int) int32 { return int32(a) + int32(i) }

// turns draws prompts as agents send them: each goes on from an earlier prompt with its answer, forks off one in its
// middle, or is new.
func turns(rng *rand.Rand, n int) (jobs []*Job) {
	next := int32(0)
	fresh := func(n int) (ids []int32) {
		for range n {
			next++
			ids = append(ids, next)
		}
		return ids
	}
	system := fresh(40)
	var histories [][]int32
	for range n {
		history := system
		if len(histories) > 0 && rng.IntN(8) > 0 {
			history = histories[max(0, len(histories)-1-rng.IntN(6))]
			if rng.IntN(5) == 0 {
				history = history[:1+rng.IntN(len(history))]
			}
		}
		prompt := append(history[:len(history):len(history)], fresh(1+rng.IntN(60))...)
		want := 1 + rng.IntN(50)
		answer := tokensOf(next + 1)
		histories = append(histories, append(prompt[:len(prompt):len(prompt)], fresh(want)...))
		jobs = append(jobs, &Job{Prompt: prompt, Answer: answer, Want: want, PerChunk: 1})
	}
	return jobs
}

// TestCountedExact: a cache without a bound finds the full blocks of the longest beginning that came before, and never
// the whole prompt.
func TestCountedExact(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size := 1 + rng.IntN(20)
		c := NewCounted(size, 0)
		seen := map[string]bool{}
		enter := func(ids []int32) {
			for n := size; n <= len(ids); n += size {
				seen[fmt.Sprint(ids[:n])] = true
			}
		}
		hits, prompts := 0, 0
		for i, j := range turns(rng, 60) {
			want := 0
			for want+size < len(j.Prompt) && seen[fmt.Sprint(j.Prompt[:want+size])] {
				want += size
			}
			prompt := j.Prompt
			end := NewChain(j.Prompt, j.CacheSalt, size)
			got := c.Prompt(end)
			if got != want {
				t.Fatalf("seed %d, turn %d: %d tokens of %d were found, not %d", seed, i, got, len(prompt), want)
			}
			c.Answer(end, j.Answer, j.Want)
			for i := range j.Want - 1 {
				prompt = append(prompt, j.Answer.Token(i))
			}
			enter(prompt)
			hits, prompts = hits+got, prompts+len(j.Prompt)
		}
		var s State
		if c.tell(&s); s.CacheHits != uint64(hits) || s.CacheQueries != uint64(prompts) || s.PromptTokens != uint64(prompts) {
			t.Errorf("%+v, not %d of %d", s, hits, prompts)
		}
		if c.Reset(); len(c.known) != 0 {
			t.Error("blocks are left after a reset")
		}
	}
}

// TestCountedAsBatch: requests one after the other are found in it as in the batch engine's cache, whose room for a
// request's last tokens is the only difference.
func TestCountedAsBatch(t *testing.T) {
	for seed := range uint64(10) {
		for _, blocks := range []int{60, 120, 1000, 100_000} {
			jobs := turns(rand.New(rand.NewPCG(seed, 2)), 300)
			c := NewCounted(8, blocks)
			cfg := DefaultBatch()
			cfg.BlockSize, cfg.NumBlocks, cfg.MaxNumBatchedTokens = 8, blocks, 1<<20
			s := newScheduler(cfg)
			prompts, counted, batch := 0, 0, 0
			for _, j := range jobs {
				if len(j.Prompt)+j.Want > blocks*8 {
					continue
				}
				end := NewChain(j.Prompt, j.CacheSalt, 8)
				got := c.Prompt(end)
				c.Answer(end, j.Answer, j.Want)
				s.add(newSeq(j))
				for st := s.plan(0); st != nil; st = s.plan(0) {
					s.commit(st)
				}
				prompts, counted, batch = prompts+len(j.Prompt), counted+got, batch+j.Cached
				if blocks == 100_000 && got != j.Cached {
					t.Fatalf("seed %d: %d tokens were found, %d by the batch engine", seed, got, j.Cached)
				}
			}
			if off := float64(counted-batch) / float64(prompts); off < -0.02 || off > 0.02 || batch == 0 {
				t.Errorf("seed %d, %d blocks: %d tokens of %d were found, %d by the batch engine", seed, blocks, counted, prompts, batch)
			}
		}
	}
}

// TestCountedBound: no more blocks than there are, and those that were used last.
func TestCountedBound(t *testing.T) {
	c := NewCounted(4, 3)
	ask := func(from int32, n int) int {
		j := &Job{Prompt: make([]int32, n)}
		for i := range j.Prompt {
			j.Prompt[i] = from + int32(i)
		}
		found := c.Prompt(NewChain(j.Prompt, j.CacheSalt, 4))
		return found
	}
	for i, step := range []struct {
		from  int32
		n     int
		found int
	}{
		{0, 9, 0},    // blocks 0 and 1
		{0, 9, 8},    // again
		{100, 5, 0},  // the third
		{0, 9, 8},    // all still there
		{200, 5, 0},  // takes the place of 100's
		{0, 9, 8},    // the first has not been touched
		{100, 5, 0},  // gone
		{300, 40, 0}, // longer than the cache: its beginning is kept
		{300, 40, 12},
		{0, 9, 0},
	} {
		if got := ask(step.from, step.n); got != step.found {
			t.Errorf("step %d: %d tokens were found, not %d", i, got, step.found)
		}
	}
	if len(c.recent.byHash) > 3 {
		t.Errorf("%d blocks", len(c.recent.byHash))
	}
}
