package otlp

import "sync"

// queue holds the spans that wait for a collector.
type queue struct {
	limit int           // that wait; what comes then is dropped, and counted
	more  chan struct{} // a batch is there
	room  chan struct{} // there is room again

	mu      sync.Mutex
	waiting []call
	dropped int
	patient bool // what does not fit is waited for: nothing is measured any more
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// wait says whether there is time for what does not fit.
func (q *queue) wait(patient bool) {
	q.mu.Lock()
	q.patient = patient
	q.mu.Unlock()
	signal(q.room)
}

// put queues a span, or drops it.
func (q *queue) put(c *call) {
	for !q.try(c) {
		<-q.room
	}
}

// try queues a span. False: there is no room, and it is to be tried again.
func (q *queue) try(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= q.limit {
		if q.patient {
			return false
		}
		q.dropped++
		return true
	}
	q.waiting = append(q.waiting, *c)
	if len(q.waiting) >= batch {
		signal(q.more)
	}
	return true
}

// take is the next batch.
func (q *queue) take() []call {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), batch)
	some := append([]call(nil), q.waiting[:n]...)
	if q.waiting = q.waiting[n:]; len(q.waiting) == 0 {
		q.waiting = nil // its memory goes with the rush that needed it
	}
	signal(q.room)
	return some
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
