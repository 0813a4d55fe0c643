package routing

import (
	"container/list"
	"math"
)

// maxShare is how far above the mean the load of a replica may be.
const maxShare = 1.25

// reach is how many blocks each request finds under the better of two routers that know all: one sends each request to the cache with
// most of its beginning, the other gives each beginning a home. Neither may load a replica with more than maxShare of the mean.
func (p *plays) reach(replicas int, sizes []int64) []int32 {
	if len(sizes) == 0 {
		sizes = make([]int64, replicas)
		for i := range sizes {
			sizes[i] = math.MaxInt64
		}
	}
	a, b := p.route(sizes, false), p.route(sizes, true)
	if total(b) > total(a) {
		return b
	}
	return a
}

func total(list []int32) (sum int64) {
	for _, n := range list {
		sum += int64(n)
	}
	return sum
}

// route plays the requests through caches. homes: a beginning stays where it was first sent.
func (p *plays) route(sizes []int64, homes bool) []int32 {
	caches := make([]*lru, len(sizes))
	for i := range caches {
		caches[i] = newLRU(sizes[i])
	}
	load, all := make([]float64, len(sizes)), 0.0
	home := map[use]int{}
	found := make([]int32, len(p.each))
	for i := range p.each {
		one := &p.each[i]
		work := float64(one.blocks())
		limit := maxShare*(all+work)/float64(len(caches)) + work
		at, most := 0, int32(-1)
		for k, cache := range caches {
			has := cache.has(one)
			if load[k]+work <= limit && (has > most || has == most && load[k] < load[at]) {
				at, most = k, has
			}
		}
		if h, ok := home[one.key()]; homes && ok && load[h]+work <= limit {
			at = h
		} else if homes && !ok {
			home[one.key()] = at
		}
		found[i] = one.free + caches[at].has(one)
		caches[at].add(one)
		load[at] += work
		all += work
	}
	return found
}

// blocks are all of a prompt and its answer.
func (p *play) blocks() int32 { return p.free + p.pieces[0].leaves + p.pieces[1].leaves + p.rest }

// key is what a prompt shares the most with.
func (p *play) key() use {
	if p.pieces[1].use != (use{}) {
		return p.pieces[1].use
	}
	return p.pieces[0].use
}

// lru is a cache that drops what was not used for longest, the end of a piece first.
type lru struct {
	room, held int64
	order      *list.List // of *segment, the last used first
	by         map[use]*list.Element
}

type segment struct {
	use    use // none: nobody uses it again
	blocks int32
}

func newLRU(room int64) *lru { return &lru{room: room, order: list.New(), by: map[use]*list.Element{}} }

// has is how many of the blocks that a prompt needs it holds. The second piece needs all of the first.
func (c *lru) has(p *play) (n int32) {
	for _, s := range p.pieces {
		if s.need == 0 {
			continue
		}
		e, ok := c.by[s.use]
		if !ok {
			return n
		}
		held := min(e.Value.(*segment).blocks, s.need)
		if n += held; held < s.need {
			return n
		}
	}
	return n
}

// add enters a prompt: its beginning is dropped last.
func (c *lru) add(p *play) {
	c.push(use{}, p.rest)
	for k := len(p.pieces) - 1; k >= 0; k-- {
		s := p.pieces[k]
		if s.use == (use{}) {
			continue
		}
		if e, ok := c.by[s.use]; ok {
			c.held -= int64(e.Value.(*segment).blocks)
			c.order.Remove(e)
			delete(c.by, s.use)
		}
		c.push(s.use, s.leaves)
	}
	for c.held > c.room {
		e := c.order.Back()
		s := e.Value.(*segment)
		over := min(c.held-c.room, int64(s.blocks))
		s.blocks -= int32(over)
		c.held -= over
		if s.blocks == 0 {
			c.order.Remove(e)
			if c.by[s.use] == e {
				delete(c.by, s.use)
			}
		}
	}
}

func (c *lru) push(of use, blocks int32) {
	if blocks <= 0 {
		return
	}
	c.held += int64(blocks)
	e := c.order.PushFront(&segment{of, blocks})
	if of != (use{}) {
		c.by[of] = e
	}
}
