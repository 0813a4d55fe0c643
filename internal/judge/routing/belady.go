package routing

import "container/heap"

// best is how many blocks each request finds in one cache of so many blocks that knows what comes: it keeps those that are used
// soonest. No other way of keeping blocks finds more in all, and one cache with the room of all replicas can hold whatever they hold.
func (p *plays) best(room int64) []int32 {
	next := p.nextUses()
	found := make([]int32, len(p.each))
	held := &soonest{at: map[use]int{}}
	for i := range p.each {
		found[i] = p.each[i].free
		for k, s := range p.each[i].pieces {
			if s.use == (use{}) {
				continue
			}
			found[i] += held.take(s.use, s.need)
			if at := next[i][k]; at > 0 {
				held.put(s.use, at, p.each[at].needs(s.use))
			}
		}
		held.shrink(room)
	}
	return found
}

// nextUses are the requests that share the same piece next; 0: none does.
func (p *plays) nextUses() [][2]int {
	out := make([][2]int, len(p.each))
	later := map[use]int{}
	for i := len(p.each) - 1; i >= 0; i-- {
		for k, s := range p.each[i].pieces {
			if s.use != (use{}) {
				out[i][k] = later[s.use]
				later[s.use] = i
			}
		}
	}
	return out
}

func (p *play) needs(of use) int32 {
	for _, s := range p.pieces {
		if s.use == of {
			return s.need
		}
	}
	return 0
}

// soonest holds pieces by when they are used next, the last on top.
type soonest struct {
	list []*piece
	at   map[use]int // places in list
	all  int64
}

type piece struct {
	use    use
	next   int
	blocks int32
}

// take is how many of some blocks of a piece are held, and lets go of it.
func (s *soonest) take(of use, blocks int32) int32 {
	at, ok := s.at[of]
	if !ok {
		return 0
	}
	p := s.list[at]
	heap.Remove(s, at)
	s.all -= int64(p.blocks)
	return min(p.blocks, blocks)
}

func (s *soonest) put(of use, next int, blocks int32) {
	if blocks > 0 {
		s.all += int64(blocks)
		heap.Push(s, &piece{of, next, blocks})
	}
}

// shrink drops what is used last until the rest fits.
func (s *soonest) shrink(room int64) {
	for s.all > room {
		p := s.list[0]
		over := min(s.all-room, int64(p.blocks))
		p.blocks -= int32(over)
		s.all -= over
		if p.blocks == 0 {
			heap.Pop(s)
		}
	}
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (s *soonest) Len() int           { return len(s.list) }
func (s *soonest) Less(i, j int) bool { return s.list[i].next > s.list[j].next }
func (s *soonest) Swap(i, j int) {
	s.list[i], s.list[j] = s.list[j], s.list[i]
	s.at[s.list[i].use], s.at[s.list[j].use] = i, j
}

// Push adds one.
func (s *soonest) Push(v any) {
	p := v.(*piece)
	s.at[p.use] = len(s.list)
	s.list = append(s.list, p)
}

// Pop takes the last.
func (s *soonest) Pop() any {
	p := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	delete(s.at, p.use)
	return p
}
