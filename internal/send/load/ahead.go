package load

import (
	"fmt"
	"slices"
	"sync"

	"github.com/inferometer/inferometer/internal/send/pace"
)

// How many requests are made before they are due. Those of a trace come in bursts, for which more have to lie ready;
// aheadBytes bounds their bodies as well: with images each may have megabytes.
const (
	aheadJobs  = 64
	aheadTimed = 4096
	aheadBytes = 32 << 20
)

// ahead holds the jobs that are made and not due yet.
type ahead struct {
	jobs   chan *job // nil: none is made yet
	budget *budget   // of their bodies
}

// makeAhead starts to make jobs ahead of the dispatcher, unless that goes on already. stop ends it.
func (r *run) makeAhead() (stop func()) {
	a := &r.ahead
	if a.jobs != nil {
		return func() {}
	}
	n := aheadJobs
	if r.cfg.Timed && r.cfg.Conversations == nil {
		n = aheadTimed
	}
	a.jobs = make(chan *job, n)
	enough := make(chan struct{})
	go a.fill(&r.maker, a.jobs, enough)
	return func() {
		close(enough)
		for j := range a.jobs { // until fill has ended: it uses the source
			a.budget.release(j.size)
		}
	}
}

// fill ends when the source or the pace does, or when the dispatcher wants no more.
func (a *ahead) fill(m *maker, out chan<- *job, enough <-chan struct{}) {
	defer close(out)
	ramp, _ := pace.AsRamp(m.cfg.Pace)
	for {
		j := m.next(ramp)
		if j == nil {
			return
		}
		j.size = j.bytes()
		if !a.budget.reserve(j.size, enough) {
			return
		}
		select {
		case out <- j:
		case <-enough:
			a.budget.release(j.size)
			return
		}
		if j.err != nil {
			return
		}
	}
}

// bytes is how long the bodies are that a job holds before it is sent, or those of a conversation's first turns.
func (j *job) bytes() int {
	n := len(j.body)
	for _, other := range j.others {
		n += len(other.body)
	}
	return n
}

func (m *maker) next(ramp pace.Ramp) *job {
	due, ok := m.cfg.Pace.Next()
	if !ok {
		return nil
	}
	w, err := m.cfg.Source.Next()
	if err != nil {
		if isEnd(err) {
			return nil
		}
		return &job{err: fmt.Errorf("the workload: %w", err)}
	}
	j, err := m.job(w)
	if err != nil {
		return &job{err: err}
	}
	j.due = int64(due)
	if ramp != nil {
		j.rates = slices.Clone(ramp.Reached())
	}
	return j
}

// budget bounds the bytes of what waits between two goroutines. One thing is always let
// in, however large it is.
type budget struct {
	mu          sync.Mutex
	size, limit int
	freed       chan struct{} // has a token when something was released
}

func newBudget(limit int) *budget { return &budget{limit: limit, freed: make(chan struct{}, 1)} }

// reserve waits until n bytes are within the budget. False: enough was closed before.
func (b *budget) reserve(n int, enough <-chan struct{}) bool {
	for {
		if b.fits(n) {
			return true
		}
		select {
		case <-b.freed:
		case <-enough:
			return false
		}
	}
}

func (b *budget) fits(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size > 0 && b.size+n > b.limit {
		return false
	}
	b.size += n
	return true
}

// release gives n bytes back.
func (b *budget) release(n int) {
	b.mu.Lock()
	b.size -= n
	b.mu.Unlock()
	select {
	case b.freed <- struct{}{}:
	default:
	}
}
