package tree

import (
	"slices"
	"time"
)

// Requests of several agents may stand in one list, with nothing but their prompts to tell them apart. The rules
// here are those of AIPerf 0.13 (aiperf/dataset/loader/weka_agent_chains.py): a request goes on with the chain
// whose last prompt is the beginning of its own; else it forks off. What looks like a fork may be the same agent
// after its context was made shorter: that is a seam.

const (
	// tolerance is how much earlier than the end of a request its successor may begin.
	tolerance = time.Microsecond
	// A seam that comes later than seamGap and keeps less than half of the blocks is another agent.
	seamGap = time.Hour
	// titleOutput is the longest answer of a title call.
	titleOutput = 64
)

// chain is one agent: places in the list of requests, by time.
type chain struct {
	list []int
	tail int // the last request with ids; -1: none
	// The request that it forked off, and how many blocks they share.
	forkedOff, depth int
	gone             bool // it is a part of another
}

// splitter finds chains.
type splitter struct {
	requests []Request
	chains   []*chain
	of       []int            // the chain of each request
	first    map[uint64][]int // chains by their first id
	forks    map[int][]int    // chains by the request that they forked off
}

// split gives the chains of requests, which are sorted by time: the main one first, the others by their begin.
// The first request may be set aside as a title call; it belongs to the main chain.
func split(requests []Request) (main []int, others [][]int, title bool) {
	title = hasTitle(requests)
	s := &splitter{requests: requests, of: make([]int, len(requests)), first: map[uint64][]int{}, forks: map[int][]int{}}
	begin := 0
	if title {
		begin = 1
	}
	for i := begin; i < len(requests); i++ {
		s.place(i)
	}
	s.seams()
	if begin == len(requests) {
		return []int{0}, nil, title
	}
	root := s.of[begin]
	if title {
		main = append(main, 0)
	}
	main = append(main, s.chains[root].list...)
	for i, c := range s.chains {
		if i != root && !c.gone {
			others = append(others, c.list)
		}
	}
	// A seam may stand before requests without ids that had come later.
	slices.Sort(main)
	for _, o := range others {
		slices.Sort(o)
	}
	slices.SortFunc(others, func(a, b []int) int { return a[0] - b[0] })
	return main, others, title
}

// hasTitle says whether the first request has nothing to do with the others: a call for a title, say. It must not
// be taken for the begin of the main chain.
func hasTitle(requests []Request) bool {
	if len(requests) < 2 || len(requests[0].IDs) == 0 {
		return false
	}
	first := &requests[0]
	for i := range requests[1:] {
		if o := requests[i+1].IDs; len(o) > 0 && o[0] == first.IDs[0] {
			return false
		}
	}
	if first.Output <= titleOutput {
		return true
	}
	own := make(map[uint64]bool, len(first.IDs))
	for _, id := range first.IDs {
		own[id] = true
	}
	for i := range requests[1:] {
		for _, id := range requests[i+1].IDs {
			if own[id] {
				return false
			}
		}
	}
	return true
}

// place puts a request on the chain that it goes on with, or begins one.
func (s *splitter) place(i int) {
	q := &s.requests[i]
	if len(q.IDs) == 0 { // nothing is known of it
		if len(s.chains) == 0 {
			s.chains = append(s.chains, &chain{tail: -1, forkedOff: -1})
		}
		s.chains[0].list = append(s.chains[0].list, i)
		s.of[i] = 0
		return
	}
	if len(s.chains) == 0 {
		s.chains = append(s.chains, &chain{tail: -1, forkedOff: -1})
	}
	if len(s.chains) == 1 && s.chains[0].tail < 0 {
		s.first[q.IDs[0]] = append(s.first[q.IDs[0]], 0)
		s.extend(0, i)
		return
	}
	if c := s.goesOn(q); c >= 0 {
		s.extend(c, i)
		return
	}
	n := &chain{tail: -1, forkedOff: -1}
	n.forkedOff, n.depth = s.deepest(q)
	at := len(s.chains)
	s.chains = append(s.chains, n)
	s.first[q.IDs[0]] = append(s.first[q.IDs[0]], at)
	s.extend(at, i)
	if n.forkedOff >= 0 {
		s.forks[n.forkedOff] = append(s.forks[n.forkedOff], at)
	}
}

func (s *splitter) extend(c, i int) {
	s.chains[c].list = append(s.chains[c].list, i)
	s.chains[c].tail = i
	s.of[i] = c
}

// goesOn is the chain with the longest last prompt that is a beginning of this one, of the same model, and ended;
// -1: there is none.
func (s *splitter) goesOn(q *Request) int {
	best, longest := -1, 0
	for _, c := range s.first[q.IDs[0]] {
		tail := &s.requests[s.chains[c].tail]
		n := len(tail.IDs)
		if n <= longest || n > len(q.IDs) || tail.Model != q.Model || tail.end() > q.At+tolerance {
			continue
		}
		if tail.IDs[n-1] == q.IDs[n-1] && slices.Equal(tail.IDs, q.IDs[:n]) {
			best, longest = c, n
		}
	}
	return best
}

// deepest is the last request of the chain that shares the most blocks with this one; of those with as many, the
// longest. -1: none shares any.
func (s *splitter) deepest(q *Request) (request, depth int) {
	request = -1
	for _, c := range s.first[q.IDs[0]] {
		tail := s.chains[c].tail
		d, n := Common(s.requests[tail].IDs, q.IDs), len(s.requests[tail].IDs)
		if d > depth || d == depth && n > len(s.requests[request].IDs) {
			request, depth = tail, d
		}
	}
	return request, depth
}

// Common is how many ids two prompts have in common from the beginning.
func Common(a, b []uint64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// seams joins chains that are the same agent: where nothing went on from a request, the deepest fork that began after
// its end does.
func (s *splitter) seams() {
	var keys []int
	for k := range s.forks {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for len(keys) > 0 {
		at := keys[0]
		keys = keys[1:]
		owner := s.of[at]
		if s.lastWithIDs(owner) != at {
			continue // it went on: the forks are others
		}
		left := slices.DeleteFunc(s.forks[at], func(c int) bool { return s.chains[c].gone })
		s.forks[at] = left
		next := s.elect(at, left)
		if next < 0 {
			continue
		}
		s.splice(owner, next)
		tail := s.lastWithIDs(owner)
		if s.forkAgain(tail, left) {
			if i, there := slices.BinarySearch(keys, tail); !there {
				keys = slices.Insert(keys, i, tail)
			}
		}
	}
}

func (s *splitter) lastWithIDs(c int) int {
	list := s.chains[c].list
	for i := len(list) - 1; i >= 0; i-- {
		if len(s.requests[list[i]].IDs) > 0 {
			return list[i]
		}
	}
	return -1
}

// elect is the fork that goes on from a request; -1: none.
func (s *splitter) elect(at int, forks []int) int {
	tail := &s.requests[at]
	best := -1
	for _, c := range forks {
		f := s.chains[c]
		first := &s.requests[f.list[0]]
		late := first.At-tail.end() > seamGap && 2*f.depth < len(tail.IDs)
		if tail.end() > first.At+tolerance || first.Model != tail.Model || late {
			continue
		}
		if best < 0 || f.depth > s.chains[best].depth ||
			f.depth == s.chains[best].depth && f.list[0] < s.chains[best].list[0] {
			best = c
		}
	}
	return best
}

func (s *splitter) splice(owner, c int) {
	for _, i := range s.chains[c].list {
		s.of[i] = owner
	}
	s.chains[owner].list = append(s.chains[owner].list, s.chains[c].list...)
	s.chains[c].gone = true
}

// forkAgain holds forks that are left over against the new end of their chain, and says whether any shares
// something with it.
func (s *splitter) forkAgain(tail int, left []int) bool {
	found := false
	for _, c := range left {
		f := s.chains[c]
		if f.gone {
			continue
		}
		if d := Common(s.requests[tail].IDs, s.requests[f.list[0]].IDs); d > 0 {
			f.forkedOff, f.depth = tail, d
			s.forks[tail] = append(s.forks[tail], c)
			found = true
		}
	}
	return found
}
