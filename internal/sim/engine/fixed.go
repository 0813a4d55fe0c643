package engine

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// Fixed gives each request its own delays, whatever the load.
type Fixed struct {
	ttft, itl random.Dist
	changes   *Changes
	pumps     []*pump
	next      atomic.Uint64 // which pump takes the next job
	running   atomic.Int64
}

// NewFixed starts an engine. Half of the cores write events; the others are left
// to read requests, and to the client under test.
func NewFixed(clock Clock, ttft, itl random.Dist, changes *Changes) (*Fixed, error) {
	e := &Fixed{ttft: ttft, itl: itl, changes: changes}
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		p, err := newPump(clock)
		if err != nil {
			e.Stop()
			return nil, err
		}
		e.pumps = append(e.pumps, p)
	}
	return e, nil
}

// Stop implements Engine.
func (e *Fixed) Stop() {
	for _, p := range e.pumps {
		p.stop()
	}
}

// Submit implements Engine.
func (e *Fixed) Submit(j *Job) {
	p := e.pumps[e.next.Add(1)%uint64(len(e.pumps))]
	f := &fixedTask{engine: e, job: j}
	if !e.ttft.IsConstant() || !e.itl.IsConstant() {
		f.rng = random.NewRand(j.Key)
	}
	e.running.Add(1)
	now := p.now()
	j.Started = now
	f.at = now + e.changes.Wait(now, e.ttft.Draw(f.rng))
	p.schedule(f, max(f.at, 1))
}

// Cancel implements Engine.
func (e *Fixed) Cancel(j *Job) { j.cancelled.Store(true) }

// State implements Engine.
func (e *Fixed) State() State {
	return State{Running: int(e.running.Load())}
}

// ResetPrefixCache implements Engine: there is none.
func (e *Fixed) ResetPrefixCache() {}

// fixedTask is a job on its way: due at, with made tokens handed over.
type fixedTask struct {
	engine *Fixed
	job    *Job
	rng    *rand.Rand
	at     int64
	made   int
}

func (f *fixedTask) run(int64) int64 {
	j := f.job
	if j.cancelled.Load() {
		f.engine.running.Add(-1)
		return 0
	}
	n := min(j.PerChunk, j.Want-f.made)
	f.made += n
	last := f.made >= j.Want
	if last {
		f.engine.running.Add(-1)
	}
	j.Sink.Offer(n, last)
	if last {
		return 0
	}
	// A chunk of n tokens is ready when its last token is: n draws later. The
	// time counts from when the last chunk was due, not from when it was sent.
	for range min(j.PerChunk, j.Want-f.made) {
		f.at += f.engine.changes.Wait(f.at, f.engine.itl.Draw(f.rng))
	}
	return max(f.at, 1)
}
