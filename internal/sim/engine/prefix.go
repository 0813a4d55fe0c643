package engine

// The prefix cache: a full block is known by a hash of its tokens and of all
// tokens before them, so that equal hashes mean equal beginnings.

// match gives the sequence the cached blocks of its beginning, and returns how
// many tokens they hold. At least one token is always left to compute.
func (kv *kvCache) match(s *seq) int {
	if !kv.prefix {
		return 0
	}
	full := (s.known() - 1) / kv.blockSize
	for i := range full {
		b := kv.byHash[s.blockHash(i, kv.blockSize)]
		if b == nil {
			break
		}
		if b.refs == 0 {
			kv.unlink(b)
		}
		b.refs++
		s.blocks = append(s.blocks, b)
	}
	s.registered = len(s.blocks)
	return len(s.blocks) * kv.blockSize
}

// register makes the sequence's computed full blocks known.
func (kv *kvCache) register(s *seq) {
	if !kv.prefix {
		return
	}
	for ; (s.registered+1)*kv.blockSize <= s.computed; s.registered++ {
		h := s.blockHash(s.registered, kv.blockSize)
		if kv.byHash[h] == nil { // else another block holds the same
			b := s.blocks[s.registered]
			b.hash = h
			kv.byHash[h] = b
		}
	}
}

// forget removes a block's content from the prefix cache.
func (kv *kvCache) forget(b *block) {
	if b.hash != 0 {
		delete(kv.byHash, b.hash)
		b.hash = 0
	}
}

// reset forgets all content.
func (kv *kvCache) reset() {
	clear(kv.byHash)
	for i := range kv.blocks {
		kv.blocks[i].hash = 0
	}
}
