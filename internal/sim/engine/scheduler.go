package engine

import (
	"slices"
	"time"
)

// scheduler decides what is in each step. It has no clock and no goroutine:
// plan, let the step's time pass, commit. The same calls give the same steps.
type scheduler struct {
	cfg     BatchConfig
	kv      *kvCache
	spec    *speculator
	waiting []*seq // first come, first served; preempted ones at the front
	running []*seq // in the order of their admission

	preemptions, prompts, queries, hits, external uint64
	steps                                         stepCounts
}

func newScheduler(cfg BatchConfig) *scheduler {
	return &scheduler{cfg: cfg, kv: newKVCache(cfg), spec: newSpeculator(cfg)}
}

// share is one sequence's part of a step.
type share struct {
	seq    *seq
	tokens int // to compute, draft tokens not counted
	drafts int
	decode bool
}

// step is a batch of shares.
type step struct {
	shares  []share
	prefill int // prompt tokens computed
	decodes int // sequences that decode
	cached  int // tokens that were in the KV cache before, over all shares
	drafts  int // draft tokens, over all shares
}

// output is what a step made for one sequence.
type output struct {
	seq    *seq
	tokens int
	last   bool
}

func (s *scheduler) add(q *seq) { s.waiting = append(s.waiting, q) }

// remove forgets a sequence wherever it is.
func (s *scheduler) remove(q *seq) {
	same := func(o *seq) bool { return o == q }
	s.waiting = slices.DeleteFunc(s.waiting, same)
	s.running = slices.DeleteFunc(s.running, same)
	s.kv.release(q)
}

// plan puts the next step together, at pump time now. Sequences that run come
// first, then as many from the queue as fit. Nil if there is nothing to do.
func (s *scheduler) plan(now int64) *step {
	st := &step{}
	budget := s.cfg.MaxNumBatchedTokens
	preempted := s.planRunning(st, &budget)
	if !preempted { // else the queue's head would take the blocks back at once
		s.planWaiting(st, &budget, now)
	}
	if len(st.shares) == 0 {
		return nil
	}
	return st
}

func (s *scheduler) planRunning(st *step, budget *int) (preempted bool) {
	for i := 0; i < len(s.running) && *budget > 0; i++ {
		q := s.running[i]
		sh := share{seq: q, tokens: min(q.known()-q.computed, *budget), decode: q.decoding()}
		if sh.decode {
			sh.drafts = max(0, min(s.spec.k, q.job.Want-q.made-1, *budget-1))
		}
		for !s.kv.grow(q, q.computed+sh.tokens+sh.drafts) {
			preempted = true
			if s.preemptLast() == q {
				return true // it was the last itself; those after it are gone
			}
		}
		st.add(sh, budget)
	}
	return preempted
}

// preemptLast takes the newest sequence's blocks away. It will be computed anew.
func (s *scheduler) preemptLast() *seq {
	q := s.running[len(s.running)-1]
	s.running = s.running[:len(s.running)-1]
	s.kv.release(q)
	q.computed = 0
	s.waiting = slices.Insert(s.waiting, 0, q)
	s.preemptions++
	return q
}

func (s *scheduler) planWaiting(st *step, budget *int, now int64) {
	for len(s.waiting) > 0 && len(s.running) < s.cfg.MaxNumSeqs && *budget > 0 {
		q := s.waiting[0]
		if q.arrived > now {
			return // the step had begun when it came
		}
		came := q.job.Transferred && !q.admitted // once preempted, it is computed here
		if came {
			q.computed = q.job.received()
		} else {
			q.computed = s.kv.match(q)
		}
		sh := share{seq: q, tokens: min(q.known()-q.computed, *budget)}
		if !s.kv.grow(q, q.computed+sh.tokens) {
			s.kv.release(q)
			q.computed = 0
			return // nobody overtakes the head of the queue
		}
		if !q.admitted {
			q.admitted = true
			s.admit(q.job, now, q.computed)
		}
		s.waiting = s.waiting[1:]
		s.running = append(s.running, q)
		st.add(sh, budget)
	}
}

// admit counts a job that leaves the queue with so many tokens of its prompt computed.
func (s *scheduler) admit(j *Job, now int64, computed int) {
	s.prompts += uint64(len(j.Prompt))
	switch {
	case j.Transferred:
		s.external += uint64(computed)
	case s.kv.prefix:
		s.queries += uint64(len(j.Prompt))
		s.hits += uint64(computed)
	}
	if j.Started == 0 { // else it has been given tokens
		j.Started, j.Cached = now, computed
	}
}

func (st *step) add(sh share, budget *int) {
	*budget -= sh.tokens + sh.drafts
	st.cached += sh.seq.computed
	st.drafts += sh.drafts
	if sh.decode {
		st.decodes++
	} else {
		st.prefill += sh.tokens
	}
	st.shares = append(st.shares, sh)
}

// duration is how long the step takes; see BatchConfig.
func (s *scheduler) duration(st *step) time.Duration {
	c := &s.cfg
	return c.Base +
		time.Duration(st.prefill)*c.PerPrefillToken +
		time.Duration(st.decodes)*c.PerSequence +
		time.Duration(st.cached)*c.PerCachedToken +
		time.Duration(st.drafts)*c.PerDraftToken
}

// commit ends a step: tokens are computed, and each sequence that has caught up
// makes a token, or several with accepted drafts.
func (s *scheduler) commit(st *step) []output {
	var outs []output
	tokens := st.prefill // that the step worked on, rejected drafts not counted
	defer func() { s.steps.add(tokens) }()
	for _, sh := range st.shares {
		q := sh.seq
		if q.job.cancelled.Load() {
			continue // it left while the step ran
		}
		q.computed += sh.tokens
		if q.computed < q.known() {
			s.kv.register(q)
			continue
		}
		made := min(q.job.Want-q.made, 1)
		if made > 0 {
			accepted := s.spec.verify(sh.drafts, q.rng)
			q.computed += accepted
			made += accepted
		}
		q.made += made
		s.kv.register(q)
		last := q.made >= q.job.Want
		if outs = append(outs, output{q, made, last}); sh.decode {
			tokens += made
		}
		if last {
			s.remove(q)
		}
	}
	return outs
}
