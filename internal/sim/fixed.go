package sim

import (
	"math/rand/v2"
	"sync/atomic"
)

// fixedEngine gives each request its own delays, whatever the load.
type fixedEngine struct {
	ttft, itl Dist
	pumps     []*pump
	next      atomic.Uint64 // which pump takes the next job
	running   atomic.Int64
}

func (e *fixedEngine) submit(j *job) {
	p := e.pumps[e.next.Add(1)%uint64(len(e.pumps))]
	f := &fixedTask{engine: e, job: j}
	if e.ttft.shape != constant || e.itl.shape != constant {
		f.rng = newRand(j.key)
	}
	e.running.Add(1)
	now := p.now()
	j.started = now
	f.at = now + int64(e.ttft.draw(f.rng))
	p.schedule(f, max(f.at, 1))
}

func (e *fixedEngine) cancel(j *job) { j.cancelled.Store(true) }

func (e *fixedEngine) state() engineState {
	return engineState{running: int(e.running.Load())}
}

func (e *fixedEngine) resetPrefixCache() {}

// fixedTask is a job on its way: due at, with made tokens handed over.
type fixedTask struct {
	engine *fixedEngine
	job    *job
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
	n := min(j.perChunk, j.want-f.made)
	f.made += n
	last := f.made >= j.want
	if last {
		f.engine.running.Add(-1)
	}
	j.sink.offer(n, last)
	if last {
		return 0
	}
	// A chunk of n tokens is ready when its last token is: n draws later. The
	// time counts from when the last chunk was due, not from when it was sent.
	for range min(j.perChunk, j.want-f.made) {
		f.at += int64(f.engine.itl.draw(f.rng))
	}
	return max(f.at, 1)
}
