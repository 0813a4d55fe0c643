package load

import (
	"container/heap"
	"math"

	"github.com/inferometer/inferometer/internal/journal"
)

// waiting are the conversations that have turns to be sent, by the time at which the first of those is to be looked at.
// Each has a queue of its own: one that ends, or whose idle time is skipped, leaves those of the others alone.
type waiting []*conversation

func (q waiting) Len() int { return len(q) }
func (q waiting) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q waiting) Less(i, j int) bool {
	a, b := q[i].queue[0], q[j].queue[0]
	if x, y := a.at-q[i].skipped, b.at-q[j].skipped; x != y {
		return x < y
	}
	return a.request.Index < b.request.Index // so that a run is the same each time
}

func (q *waiting) Push(o any) {
	o.(*conversation).place = len(*q)
	*q = append(*q, o.(*conversation))
}

func (q *waiting) Pop() any {
	last := len(*q) - 1
	o := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	o.place = -1
	return o
}

// turnQueue is a heap by the time at which a turn is to be looked at.
type turnQueue []*job

func (q turnQueue) Len() int      { return len(q) }
func (q turnQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q turnQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].request.Index < q[j].request.Index
}
func (q *turnQueue) Push(j any) { *q = append(*q, j.(*job)) }
func (q *turnQueue) Pop() any {
	last := len(*q) - 1
	j := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return j
}

// due is when the first turn of the queue is due; the queue is not empty.
func (q turnQueue) due() int64 {
	first := int64(math.MaxInt64)
	for _, j := range q {
		first = min(first, j.due)
	}
	return first
}

// push queues a turn. t.mu is held.
func (t *conversations) push(j *job) {
	j.at = j.due
	if j.body == nil {
		j.at -= int64(makeAhead)
	}
	heap.Push(&j.conversation.queue, j)
	t.moved(j.conversation)
}

// moved keeps a conversation at its place: its first turn is another one, or due at another time. t.mu is held.
func (t *conversations) moved(o *conversation) {
	switch {
	case len(o.queue) == 0 && o.place >= 0:
		heap.Remove(&t.waiting, o.place)
	case len(o.queue) > 0 && o.place < 0:
		heap.Push(&t.waiting, o)
	case o.place >= 0:
		heap.Fix(&t.waiting, o.place)
	}
}

// drop takes turns out of a conversation's queue. t.mu is held.
func (t *conversations) drop(o *conversation, gone func(*job) bool) {
	kept := o.queue[:0]
	for _, j := range o.queue {
		if !gone(j) {
			kept = append(kept, j)
		}
	}
	clear(o.queue[len(kept):])
	o.queue = kept
	heap.Init(&o.queue)
	t.moved(o)
}

// skipIdle skips the time in which a conversation only waits, beyond what TreeIdleCap allows. t.mu is held.
func (t *conversations) skipIdle(o *conversation) {
	limit := int64(t.run.cfg.Conversations.TreeIdleCap)
	if limit == 0 || o.flying > 0 || o.making > 0 || len(o.queue) == 0 {
		return
	}
	due := o.queue.due() - t.skipped - o.skipped
	if by := due - max(o.idle+limit, t.run.paceNow()); by > 0 {
		o.skipped += by
		o.skips++
		t.moved(o)
	}
}

// skipAllIdle skips the time in which all conversations only wait, beyond what IdleCap allows. False: there was none.
func (t *conversations) skipAllIdle() bool {
	limit := int64(t.run.cfg.Conversations.IdleCap)
	if limit == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flying > 0 || t.making > 0 || len(t.waiting) == 0 {
		return false
	}
	due := int64(math.MaxInt64)
	for _, o := range t.waiting {
		due = min(due, o.queue.due()-o.skipped)
	}
	by := due - t.skipped - max(t.idle+limit, t.run.paceNow())
	if by <= 0 {
		return false
	}
	t.skipped += by
	t.skips = append(t.skips, journal.Skip{At: t.run.cfg.Clock.Now(), By: by})
	return true
}
