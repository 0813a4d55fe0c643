package engine

import (
	"sync"
	"time"
)

// Batch runs the scheduler on the pump's clock: each run ends a step and
// begins the next.
type Batch struct {
	pump    *pump
	changes *Changes

	mu    sync.Mutex
	sched *scheduler
	step  *step // under way; nil while idle
	end   int64 // when it ends
}

// BatchConfig sets the batch engine. A step takes
//
//	Base + PerPrefillToken × prompt tokens in it
//	     + PerSequence × sequences that decode in it
//	     + PerCachedToken × tokens already in the KV cache of all sequences in it
//	     + PerDraftToken × draft tokens that are made and checked in it
type BatchConfig struct {
	Base            time.Duration
	PerPrefillToken time.Duration
	PerSequence     time.Duration
	PerCachedToken  time.Duration
	PerDraftToken   time.Duration

	MaxNumBatchedTokens int // tokens in a step; a longer prompt is prefilled in chunks
	MaxNumSeqs          int // sequences that run at once
	BlockSize           int // tokens in a KV block
	NumBlocks           int // KV blocks in all
	PrefixCache         bool

	SpecTokens     int     // draft tokens per step; 0 turns speculative decoding off
	SpecAcceptance float64 // chance that a draft token is accepted, given those before it were
}

// DefaultBatch is the engine of a mid-sized model on one accelerator.
func DefaultBatch() BatchConfig {
	return BatchConfig{
		Base:                5 * time.Millisecond,
		PerPrefillToken:     20 * time.Microsecond,
		PerSequence:         50 * time.Microsecond,
		PerCachedToken:      20 * time.Nanosecond,
		MaxNumBatchedTokens: 2048,
		MaxNumSeqs:          256,
		BlockSize:           16,
		NumBlocks:           8192,
		PrefixCache:         true,
	}
}

// NewBatch starts an engine.
func NewBatch(clock Clock, cfg BatchConfig, changes *Changes) (*Batch, error) {
	p, err := newPump(clock)
	if err != nil {
		return nil, err
	}
	return newBatch(cfg, changes, p), nil
}

func newBatch(cfg BatchConfig, changes *Changes, p *pump) *Batch {
	return &Batch{pump: p, changes: changes, sched: newScheduler(cfg)}
}

// Stop implements Engine.
func (e *Batch) Stop() { e.pump.stop() }

// Submit implements Engine.
func (e *Batch) Submit(j *Job) {
	given := min(j.Given, j.Want)
	if given > 0 {
		j.Started, j.Cached = e.pump.now(), j.received()
		j.Sink.Offer(given, given == j.Want)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.pump.now()
	if given > 0 && given == j.Want {
		e.sched.admit(j, now, j.received())
		return
	}
	j.seq = newSeq(j)
	now = j.from(now)
	j.seq.arrived, j.seq.made = now, given
	e.sched.add(j.seq)
	if e.step == nil {
		e.begin(now)
		e.pump.schedule(e, e.end)
	}
}

// begin plans a step that starts at the given time.
func (e *Batch) begin(start int64) {
	if e.step = e.sched.plan(start); e.step != nil {
		e.end = start + e.changes.Wait(start, e.sched.duration(e.step))
	}
}

// maxLate is how late a step may end and be made up for by the next. A machine
// that is further behind shifts the engine's clock instead: it must not make a
// burst of tokens that no engine could.
const maxLate = int64(time.Millisecond)

// Cancel implements Engine.
func (e *Batch) Cancel(j *Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j.seq != nil && !j.cancelled.Swap(true) {
		e.sched.remove(j.seq)
	}
}

// run implements task. The next step starts where this one ended by plan, and
// is put together before the tokens are written: writing is not the engine's
// time, and a request that arrives meanwhile waits for the step after.
func (e *Batch) run(now int64) int64 {
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
		if o.last || q.unsent >= q.job.PerChunk {
			n := q.unsent
			q.unsent = 0
			q.job.Sink.Offer(n, o.last)
		}
	}
	return next
}

// ResetPrefixCache implements Engine.
func (e *Batch) ResetPrefixCache() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sched.kv.reset()
}

// State implements Engine.
func (e *Batch) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sched.state()
}

func (s *scheduler) state() State {
	return State{
		Running: len(s.running), Waiting: len(s.waiting), KVUsage: s.kv.usage(),
		Preemptions: s.preemptions, PromptTokens: s.prompts, CacheQueries: s.queries, CacheHits: s.hits, External: s.external,
		Speculative: s.spec.k > 0, Drafts: s.spec.drafts, DraftTokens: s.spec.draftTokens,
		Accepted: s.spec.accepted, AcceptedAt: append([]uint64(nil), s.spec.acceptedAt...),
		Steps: append([]uint64(nil), s.steps.counts[:]...), StepTokens: s.steps.tokens,
		Blocks: s.cfg.NumBlocks, BlockSize: s.cfg.BlockSize, PrefixCache: s.cfg.PrefixCache,
	}
}
