package sim

import (
	"sync"
	"time"
)

// batchEngine runs the scheduler on the pump's clock: each run ends a step and
// begins the next.
type batchEngine struct {
	pump *pump

	mu    sync.Mutex
	sched *scheduler
	step  *step // under way; nil while idle
	end   int64 // when it ends
}

func newBatchEngine(cfg BatchConfig, p *pump) *batchEngine {
	return &batchEngine{pump: p, sched: newScheduler(cfg)}
}

func (e *batchEngine) submit(j *job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.pump.now()
	j.seq = newSeq(j)
	j.seq.arrived = now
	e.sched.add(j.seq)
	if e.step == nil {
		e.begin(now)
		e.pump.schedule(e, e.end)
	}
}

// begin plans a step that starts at the given time.
func (e *batchEngine) begin(start int64) {
	if e.step = e.sched.plan(start); e.step != nil {
		e.end = start + int64(e.sched.duration(e.step))
	}
}

// maxLate is how late a step may end and be made up for by the next. A machine
// that is further behind shifts the engine's clock instead: it must not make a
// burst of tokens that no engine could.
const maxLate = int64(time.Millisecond)

func (e *batchEngine) cancel(j *job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j.seq != nil && !j.cancelled.Swap(true) {
		e.sched.remove(j.seq)
	}
}

// run implements task. The next step starts where this one ended by plan, and
// is put together before the tokens are written: writing is not the engine's
// time, and a request that arrives meanwhile waits for the step after.
func (e *batchEngine) run(now int64) int64 {
	e.mu.Lock()
	outs := e.sched.commit(e.step)
	start := e.end
	if now-start > maxLate {
		start = now
	}
	e.begin(start)
	if e.step == nil {
		e.begin(e.pump.now()) // only those that came after start are there
	}
	next := int64(0)
	if e.step != nil {
		next = e.end
	}
	e.mu.Unlock()
	for _, o := range outs {
		q := o.seq
		q.unsent += o.tokens
		if o.last || q.unsent >= q.job.perChunk {
			n := q.unsent
			q.unsent = 0
			q.job.sink.offer(n, o.last)
		}
	}
	return next
}

func (e *batchEngine) resetPrefixCache() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sched.kv.reset()
}

func (e *batchEngine) state() engineState {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sched
	return engineState{
		running: len(s.running), waiting: len(s.waiting), kvUsage: s.kv.usage(),
		preemptions: s.preemptions, cacheQueries: s.queries, cacheHits: s.hits,
		speculative: s.spec.k > 0, drafts: s.spec.drafts, draftTokens: s.spec.draftTokens,
		accepted: s.spec.accepted, acceptedAt: append([]uint64(nil), s.spec.acceptedAt...),
	}
}
