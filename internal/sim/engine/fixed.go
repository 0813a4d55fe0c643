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
	prompts   atomic.Uint64 // tokens, where no cache counts them
	external  atomic.Uint64 // tokens whose KV came from elsewhere
	cache     *Counted      // nil: there is none
}

// FixedConfig sets the engine.
type FixedConfig struct {
	TTFT random.Dist // from the request to the first token, one draw per request
	ITL  random.Dist // between tokens, one draw per token
	// PrefixCache counts what a prefix cache of so many blocks would find; it makes nothing faster.
	PrefixCache bool
	BlockSize   int
	NumBlocks   int // 0: without a bound
}

// NewFixed starts an engine. Half of the cores write events; the others are left
// to read requests, and to the client under test.
func NewFixed(clock Clock, cfg FixedConfig, changes *Changes) (*Fixed, error) {
	e := &Fixed{ttft: cfg.TTFT, itl: cfg.ITL, changes: changes}
	if cfg.PrefixCache {
		e.cache = NewCounted(cfg.BlockSize, cfg.NumBlocks)
	}
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
	wait := e.ttft.Draw(f.rng)
	switch {
	case j.Transferred:
		j.Cached = j.received()
		e.external.Add(uint64(j.Cached))
		e.prompts.Add(uint64(len(j.Prompt)))
		if j.Given > 0 {
			wait = 0
		}
	case e.cache != nil:
		f.chain = NewChain(j.Prompt, j.CacheSalt, e.cache.size)
		j.Cached = e.cache.Prompt(f.chain)
		f.chain.hashes = nil // only its end is needed for the answer
	default:
		e.prompts.Add(uint64(len(j.Prompt)))
	}
	j.Prompt = nil // thousands of long ones may be in flight
	e.running.Add(1)
	now := p.now()
	j.Started = now
	f.at = j.from(now) + e.changes.Wait(now, wait)
	p.schedule(f, max(f.at, 1))
}

// Cancel implements Engine.
func (e *Fixed) Cancel(j *Job) { j.cancelled.Store(true) }

// State implements Engine.
func (e *Fixed) State() State {
	s := State{Running: int(e.running.Load()), PromptTokens: e.prompts.Load(), External: e.external.Load()}
	if e.cache != nil {
		e.cache.tell(&s)
	}
	return s
}

// ResetPrefixCache implements Engine.
func (e *Fixed) ResetPrefixCache() {
	if e.cache != nil {
		e.cache.Reset()
	}
}

// fixedTask is a job on its way: due at, with made tokens handed over.
type fixedTask struct {
	engine *Fixed
	job    *Job
	rng    *rand.Rand
	at     int64
	made   int
	chain  Chain
}

// end makes what was generated known, before anybody has the last token.
func (f *fixedTask) end() {
	if f.engine.cache != nil && !f.job.Transferred {
		f.engine.cache.Answer(f.chain, f.job.Answer, f.made)
	}
	f.engine.running.Add(-1)
}

func (f *fixedTask) run(int64) int64 {
	j := f.job
	if j.cancelled.Load() {
		f.end()
		return 0
	}
	n := min(j.PerChunk, j.Want-f.made)
	f.made += n
	last := f.made >= j.Want
	if last {
		f.end()
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
