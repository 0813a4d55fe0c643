package engine

// block is a piece of the KV cache with room for BlockSize tokens.
type block struct {
	refs       int    // sequences that use it
	hash       uint64 // what is in it, if it is known to the prefix cache; 0: not
	prev, next *block // neighbours in the free list while refs is 0
}

// kvCache hands out blocks. Free blocks stand in a ring, the one that has been
// free for longest first; a free block keeps its content until it is taken, so
// that the prefix cache may find it again (prefix.go).
type kvCache struct {
	blockSize int
	blocks    []block
	free      block // the ring's anchor
	numFree   int
	prefix    bool
	byHash    map[uint64]*block
}

func newKVCache(cfg BatchConfig) *kvCache {
	kv := &kvCache{
		blockSize: cfg.BlockSize, blocks: make([]block, cfg.NumBlocks),
		prefix: cfg.PrefixCache, byHash: map[uint64]*block{},
	}
	kv.free.next, kv.free.prev = &kv.free, &kv.free
	for i := range kv.blocks {
		kv.extend(&kv.blocks[i])
	}
	return kv
}

func (kv *kvCache) usage() float64 {
	return 1 - float64(kv.numFree)/float64(len(kv.blocks))
}

// grow gives the sequence blocks for this many tokens; false, and nothing
// changed, if there are too few.
func (kv *kvCache) grow(s *seq, tokens int) bool {
	need := (tokens+kv.blockSize-1)/kv.blockSize - len(s.blocks)
	if need > kv.numFree {
		return false
	}
	for range need {
		s.blocks = append(s.blocks, kv.take())
	}
	return true
}

// take gives the block that has been free for longest, and forgets its content.
func (kv *kvCache) take() *block {
	b := kv.free.next
	kv.unlink(b)
	kv.forget(b)
	b.refs = 1
	return b
}

// release gives all blocks of a sequence back. The last goes first, so that the
// start of a prompt, which others are likeliest to share, lives longest.
func (kv *kvCache) release(s *seq) {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		b := s.blocks[i]
		if b.refs--; b.refs == 0 {
			kv.extend(b)
		}
	}
	s.blocks = s.blocks[:0]
	s.registered = 0
}

func (kv *kvCache) extend(b *block) {
	b.prev, b.next = kv.free.prev, &kv.free
	b.prev.next, b.next.prev = b, b
	kv.numFree++
}

func (kv *kvCache) unlink(b *block) {
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
	kv.numFree--
}
