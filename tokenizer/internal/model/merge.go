package model

// fewSymbols is the length up to which looking at every pair for the lowest rank beats a queue.
const fewSymbols = 160

// merge joins the worker's symbols in place until no pair has a merge, and returns what is left.
func (w *Worker) merge(m *pairMap) []int32 {
	symbols, pairs := w.symbols, w.pairs
	if len(symbols) > fewSymbols {
		return w.queue.merge(m, symbols, pairs)
	}
	for len(pairs) > 0 {
		at, least := 0, pairs[0].rank
		for i := range pairs {
			if pairs[i].rank < least {
				at, least = i, pairs[i].rank
			}
		}
		if least == noMerge {
			break
		}
		symbols[at] = pairs[at].id
		// A loop, since what moves is short: copy would take longer to begin.
		for i := at + 1; i < len(pairs); i++ {
			pairs[i-1], symbols[i] = pairs[i], symbols[i+1]
		}
		pairs, symbols = pairs[:len(pairs)-1], symbols[:len(symbols)-1]
		if at > 0 {
			pairs[at-1] = m.get(symbols[at-1], symbols[at])
		}
		if at < len(pairs) {
			pairs[at] = m.get(symbols[at], symbols[at+1])
		}
	}
	return symbols
}

// mergeQueue merges long pieces: a heap of the pairs that can merge, over symbols linked to their
// neighbours, so that the cost is n log n. Some pieces are whole documents.
type mergeQueue struct {
	prev, next []int32
	heap       []candidate
}

// candidate is a pair as it was when it went into the heap. If a symbol has changed since, it is stale.
type candidate struct {
	merge
	at, left, right int32
}

func (q *mergeQueue) merge(m *pairMap, symbols []int32, pairs []merge) []int32 {
	n := int32(len(symbols))
	q.prev, q.next, q.heap = q.prev[:0], q.next[:0], q.heap[:0]
	for i := range n {
		q.prev, q.next = append(q.prev, i-1), append(q.next, i+1)
		if i > 0 {
			q.offer(pairs[i-1], symbols, i-1, i)
		}
	}
	for len(q.heap) > 0 {
		c := q.pop()
		i := c.at
		j := q.next[i]
		if symbols[i] != c.left || j >= n || symbols[j] != c.right {
			continue
		}
		symbols[i], symbols[j] = c.id, -1
		after := q.next[j]
		q.next[i] = after
		if after < n {
			q.prev[after] = i
			q.offer(m.get(symbols[i], symbols[after]), symbols, i, after)
		}
		if before := q.prev[i]; before >= 0 {
			q.offer(m.get(symbols[before], symbols[i]), symbols, before, i)
		}
	}
	out := symbols[:0]
	for i := int32(0); i < n; i = q.next[i] {
		out = append(out, symbols[i])
	}
	return out
}

// offer puts a pair into the heap if it has a merge.
func (q *mergeQueue) offer(to merge, symbols []int32, i, j int32) {
	if to.rank == noMerge {
		return
	}
	q.heap = append(q.heap, candidate{to, i, symbols[i], symbols[j]})
	for k := len(q.heap) - 1; k > 0; {
		up := (k - 1) / 2
		if !q.heap[k].before(&q.heap[up]) {
			break
		}
		q.heap[k], q.heap[up] = q.heap[up], q.heap[k]
		k = up
	}
}

func (q *mergeQueue) pop() candidate {
	top, last := q.heap[0], len(q.heap)-1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	for k := 0; ; {
		down := 2*k + 1
		if down >= last {
			return top
		}
		if down+1 < last && q.heap[down+1].before(&q.heap[down]) {
			down++
		}
		if !q.heap[down].before(&q.heap[k]) {
			return top
		}
		q.heap[k], q.heap[down] = q.heap[down], q.heap[k]
		k = down
	}
}

// before: the lower rank, and of equal ones the one further left.
func (c *candidate) before(d *candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}
