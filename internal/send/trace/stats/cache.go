package stats

import "github.com/inferometer/inferometer/internal/send/trace"

// Cache is what a prefix cache without bounds would know of the prompts, one after the other.
type Cache struct {
	// BlockShare is the share of prompt blocks that an earlier row had; 0 where tokens
	// alone are known.
	BlockShare float64 `json:"block_share"`
	TokenShare float64 `json:"token_share"` // the same of prompt tokens
	Block      int     `json:"block_tokens"`
	Blocks     int64   `json:"blocks"`
	// Sampled: one of so many blocks was followed, as they are too many to keep; 1: all.
	Sampled int `json:"sampled"`
	// Assumed: the trace names no blocks. That a prompt begins with the whole one before
	// it in its session is taken from the format.
	Assumed bool `json:"assumed,omitempty"`
	// ByTree: only the beginning of a prompt counts, and only what an earlier prompt of its own tree had.
	ByTree bool `json:"by_tree,omitempty"`
}

// blocks follow the ids of blocks. Equal ids mean equal beginnings, so that a block that
// was seen is a hit by itself. When they are too many, only those of every other hash
// are followed further: what is left stays exact for them, and counts twice.
type blocks struct {
	seen      map[uint64]struct{}
	rows      int
	block     int
	halvings  int
	all, hit  float64
	total     int64
	hitTokens float64
}

// mostBlocks is how many are kept: some 50 MB.
const mostBlocks = 1 << 21

func (b *blocks) add(r *trace.Row) {
	if b.seen == nil {
		b.seen = map[uint64]struct{}{}
	}
	b.rows++
	b.block = max(b.block, r.Block)
	b.total += int64(len(r.IDs))
	for i, id := range r.IDs {
		key := scramble(id)
		if !b.followed(key) {
			continue
		}
		weight := float64(int(1) << b.halvings)
		b.all += weight
		if _, known := b.seen[key]; known {
			b.hit += weight
			b.hitTokens += weight * float64(min(r.Block, r.Input-i*r.Block))
			continue
		}
		b.seen[key] = struct{}{}
		for len(b.seen) > mostBlocks {
			b.halve()
		}
	}
}

func (b *blocks) followed(key uint64) bool { return key&(1<<b.halvings-1) == 0 }

func (b *blocks) halve() {
	b.halvings++
	for key := range b.seen {
		if !b.followed(key) {
			delete(b.seen, key)
		}
	}
}

// scramble spreads ids that count from 0.
func scramble(id uint64) uint64 {
	id = (id ^ id>>30) * 0xbf58476d1ce4e5b9
	id = (id ^ id>>27) * 0x94d049bb133111eb
	return id ^ id>>31
}

func (b *blocks) summary(tokens int64) *Cache {
	c := &Cache{Block: b.block, Blocks: b.total, Sampled: 1 << b.halvings}
	if b.all > 0 {
		c.BlockShare = b.hit / b.all
	}
	if tokens > 0 {
		c.TokenShare = b.hitTokens / float64(tokens)
	}
	return c
}

// growth follows sessions whose prompts begin with the ones before.
type growth struct {
	longest  map[uint64]int32
	all, hit int64
}

func (g *growth) add(r *trace.Row) {
	g.all += int64(r.Input)
	if r.Session == 0 {
		return
	}
	before, known := g.longest[r.Session]
	g.hit += int64(min(int(before), r.Input))
	if known || len(g.longest) < mostSessions {
		g.longest[r.Session] = max(before, int32(r.Input))
	}
}

func (g *growth) summary() *Cache {
	c := &Cache{Sampled: 1, Assumed: true}
	if g.all > 0 {
		c.TokenShare = float64(g.hit) / float64(g.all)
	}
	return c
}
