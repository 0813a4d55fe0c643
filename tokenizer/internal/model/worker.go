package model

import "hash/maphash"

// Worker is the memory of one goroutine that encodes. Workers are lent out and taken back, so that
// several goroutines encode without waiting for one another and without allocating.
type Worker struct {
	spelling []byte
	symbols  []int32
	pairs    []merge // of each symbol with the next
	queue    mergeQueue
	cache    wordCache
	lattice  []node
}

// NewWorker has an empty cache.
func NewWorker() *Worker { return &Worker{cache: newWordCache()} }

// wordCache keeps the tokens of words seen before: text repeats its words, and a lookup is quicker
// than the merges. Each word has one slot; a later word takes it over. So its size is fixed, and it
// holds no pointers for the garbage collector to follow.
type wordCache struct {
	seed  maphash.Seed
	slots []wordSlot
}

// wordSlot fills a cache line. Longer words are rare, and rarely come again.
type wordSlot struct {
	ids        [7]int32
	word       [34]byte
	chars, len uint8
}

const wordSlots = 1 << 14 // 1 MB a worker

func newWordCache() wordCache {
	return wordCache{seed: maphash.MakeSeed(), slots: make([]wordSlot, wordSlots)}
}

func (c *wordCache) slot(word string) *wordSlot {
	return &c.slots[maphash.String(c.seed, word)%wordSlots]
}

func (c *wordCache) get(word string) ([]int32, bool) {
	if len(word) > len(wordSlot{}.word) {
		return nil, false
	}
	s := c.slot(word)
	if int(s.chars) != len(word) || string(s.word[:s.chars]) != word {
		return nil, false
	}
	return s.ids[:s.len], true
}

func (c *wordCache) put(word string, ids []int32) {
	if len(word) > len(wordSlot{}.word) || len(ids) > len(wordSlot{}.ids) {
		return
	}
	s := c.slot(word)
	s.chars = uint8(copy(s.word[:], word))
	s.len = uint8(copy(s.ids[:], ids))
}
