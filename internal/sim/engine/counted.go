package engine

import (
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// Counted is the prefix cache of an engine that computes nothing: it tells what one of so many blocks would have
// found. A prompt's blocks are known from the moment at which its request came, those of an answer at its end.
// Only their hashes are kept.
type Counted struct {
	size int // tokens of a block

	mu      sync.Mutex
	known   map[uint64]struct{} // where there is no bound
	recent  *kvCache            // where there is one: all its blocks are free, those that were used last stand last
	prompts uint64              // tokens
	hits    uint64
}

// NewCounted makes one of so many blocks; 0: without a bound.
func NewCounted(blockSize, blocks int) *Counted {
	c := &Counted{size: blockSize}
	if blocks == 0 {
		c.known = map[uint64]struct{}{}
	} else {
		c.recent = newKVCache(BatchConfig{BlockSize: blockSize, NumBlocks: blocks, PrefixCache: true})
	}
	return c
}

// Chain is a prompt as a prefix cache knows it: the hashes of its full blocks, each of all before it too.
type Chain struct {
	size   int // tokens of a block
	tokens int // of the prompt
	hashes []uint64
	tail   tail
}

// tail is the end of a prompt: the hash of its last full block, and the tokens after it.
type tail struct {
	hash   uint64
	tokens []int32
}

// NewChain cuts a prompt into blocks. Prompts with another salt share none.
func NewChain(prompt []int32, salt uint64, blockSize int) Chain {
	c := Chain{size: blockSize, tokens: len(prompt), hashes: make([]uint64, 0, len(prompt)/blockSize)}
	t := tail{random.FNVOffset ^ salt, prompt}
	for len(t.tokens) >= blockSize {
		t = t.next(blockSize)
		c.hashes = append(c.hashes, t.hash)
	}
	t.tokens = slices.Clone(t.tokens) // the prompt is not kept for it
	c.tail = t
	return c
}

// next takes a block off the tokens.
func (t tail) next(size int) tail {
	return tail{blockHash(t.hash, t.tokens[:size]), t.tokens[size:]}
}

// Held is how many tokens of a prompt are there now. At least one is always left to compute.
func (c *Counted) Held(p Chain) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held(p)
}

func (c *Counted) held(p Chain) int {
	found := 0
	for found < (p.tokens-1)/c.size && c.has(p.hashes[found]) {
		found++
	}
	return found * c.size
}

// Prompt looks a prompt up and enters it: how many of its tokens were there.
func (c *Counted) Prompt(p Chain) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.held(p)
	c.enter(p.hashes)
	c.prompts += uint64(p.tokens)
	c.hits += uint64(found)
	return found
}

// Answer enters the tokens that were generated after a prompt; nobody has computed anything with the last.
func (c *Counted) Answer(p Chain, a Answer, made int) {
	var hashes []uint64
	t := tail{p.tail.hash, slices.Clone(p.tail.tokens)}
	for i := range made - 1 {
		if t.tokens = append(t.tokens, a.Token(i)); len(t.tokens) == c.size {
			t = t.next(c.size)
			hashes = append(hashes, t.hash)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enter(hashes)
}

func (c *Counted) has(hash uint64) bool {
	if c.recent != nil {
		return c.recent.byHash[hash] != nil
	}
	_, known := c.known[hash]
	return known
}

// enter makes blocks known that follow each other, the last first: what goes first when there is no more room is the
// end of a prompt that was not used for longest.
func (c *Counted) enter(hashes []uint64) {
	if c.recent == nil {
		for _, h := range hashes {
			c.known[h] = struct{}{}
		}
		return
	}
	kv := c.recent
	for _, h := range slices.Backward(hashes[:min(len(hashes), len(kv.blocks))]) {
		b := kv.byHash[h]
		if b != nil {
			kv.unlink(b)
		} else {
			b = kv.take()
			b.refs, b.hash = 0, h
			kv.byHash[h] = b
		}
		kv.extend(b)
	}
}

// Reset forgets everything.
func (c *Counted) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.known)
	if c.recent != nil {
		c.recent.reset()
	}
}

// tell enters its counts in a state.
func (c *Counted) tell(s *State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.PromptTokens += c.prompts
	s.CacheQueries, s.CacheHits = c.prompts, c.hits
	s.BlockSize, s.PrefixCache = c.size, true
	if c.recent != nil {
		s.Blocks = len(c.recent.blocks)
	}
}
