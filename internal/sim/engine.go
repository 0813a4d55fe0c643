package sim

import "sync/atomic"

// engine decides when a request's tokens are ready.
type engine interface {
	// submit starts a job. The engine calls the job's sink as tokens get ready.
	submit(*job)
	// cancel forgets a job; its sink may hear of one more batch of tokens.
	cancel(*job)
	// state is for /metrics.
	state() engineState
	// resetPrefixCache forgets what prompts have been seen.
	resetPrefixCache()
}

// job is a request as an engine sees it.
type job struct {
	key      uint64  // all draws for this job come from it
	prompt   []int32 // token ids
	answer   answer
	want     int // tokens to make; 0 for a finish without a token
	perChunk int // tokens that are handed over at a time
	sink     sink

	cancelled atomic.Bool

	// Set by the engine before the first call of the sink.
	started int64 // pump time at which it left the queue
	cached  int   // prompt tokens found in the prefix cache

	seq *seq // the batch engine's own
}

// sink takes tokens that are ready. Calls for one job come one after another.
type sink interface {
	offer(tokens int, last bool)
}

// engineState is what /metrics shows of an engine.
type engineState struct {
	running, waiting        int
	kvUsage                 float64
	preemptions             uint64
	cacheQueries, cacheHits uint64

	speculative                   bool
	drafts, draftTokens, accepted uint64
	acceptedAt                    []uint64 // by draft position
}
