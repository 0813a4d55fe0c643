// Package engine decides when the tokens of the simulated server are ready. It knows no HTTP: a [Job] goes
// in, and the job's [Sink] is told of tokens as they get ready.
//
// [Fixed] gives each request delays of its own, whatever the load. [Batch] is continuous batching with a KV
// cache, chunked prefill, preemption, prefix caching and speculative decoding. Both run on a pump, the
// goroutine that runs what is due on absolute times. [Virtual] is the batch engine without a clock.
package engine

import "sync/atomic"

// Engine decides when a request's tokens are ready.
type Engine interface {
	// Submit starts a job. The engine calls the job's sink as tokens get ready.
	Submit(*Job)
	// Cancel forgets a job; its sink may hear of one more batch of tokens.
	Cancel(*Job)
	// State is for /metrics.
	State() State
	// ResetPrefixCache forgets what prompts have been seen.
	ResetPrefixCache()
	// Stop ends the engine's goroutines. Jobs under way make no more tokens.
	Stop()
}

// Job is a request as an engine sees it.
type Job struct {
	Key      uint64  // all draws for this job come from it
	Prompt   []int32 // token ids; the engine may let go of them
	Answer   Answer
	Want     int // tokens to make; 0 for a finish without a token
	PerChunk int // tokens that are handed over at a time
	Sink     Sink
	// CacheSalt keeps prompts apart in the prefix cache: equal ones share blocks only where it is the same.
	CacheSalt uint64
	// Transferred says that the prompt was computed elsewhere and its KV has come: only its last token is computed here,
	// and it is not looked up in the prefix cache.
	Transferred bool
	// Due is when it had come by plan, in nanoseconds since the engine's zero; 0: when it is submitted. What waits for
	// the KV is late on a busy machine, and that must not add up.
	Due int64
	// Given are tokens of the answer that came with it, which are ready at once: 0 or 1.
	Given int

	// Set by the engine before the first call of the sink.
	Started int64 // when it left the queue, in nanoseconds since the engine's zero
	Cached  int   // prompt tokens found in the prefix cache

	cancelled atomic.Bool
	seq       *seq // the batch engine's own
}

// from is when the work on it begins, now or a little before.
func (j *Job) from(now int64) int64 {
	if j.Due > 0 && j.Due < now && now-j.Due <= maxLate {
		return j.Due
	}
	return now
}

// received is how many tokens of a prompt have come with their KV. One is left to compute, unless the first token of
// the answer came too.
func (j *Job) received() int { return len(j.Prompt) - 1 + min(j.Given, 1) }

// Answer gives the token ids of what is generated: they enter the prefix cache.
type Answer interface {
	Token(i int) int32
}

// Sink takes tokens that are ready. Calls for one job come one after another.
type Sink interface {
	Offer(tokens int, last bool)
}

// State is what /metrics shows of an engine.
type State struct {
	Running, Waiting        int
	KVUsage                 float64
	Preemptions             uint64
	PromptTokens            uint64 // of requests that have left the queue
	CacheQueries, CacheHits uint64
	External                uint64 // prompt tokens whose KV came from elsewhere

	Speculative                   bool
	Drafts, DraftTokens, Accepted uint64
	AcceptedAt                    []uint64 // by draft position

	// Steps counts steps by their tokens, see StepBounds; nil: the engine has no steps.
	Steps      []uint64
	StepTokens uint64 // of all steps

	Blocks, BlockSize int // of the KV cache; 0: there is none, or no bound
	PrefixCache       bool
}
