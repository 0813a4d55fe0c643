// Package serving reads what servers say of themselves: their metrics, by whatever names, as
// what they mean. It is a pure function of the journal's scrapes, which keep the names.
//
//	journal.Scrape ─▶ Names (which name means what) ─▶ Course (over time), Summary (over the run)
package serving

// Meaning is what a metric says, whatever a server calls it.
type Meaning string

// Gauges say how things are now; of several lines (labels) they add up, and shares are
// averaged.
const (
	Running  Meaning = "running"   // requests in the batch
	Waiting  Meaning = "waiting"   // requests in the queue
	Swapped  Meaning = "swapped"   // requests moved out of the batch
	CacheUse Meaning = "cache_use" // share of the KV cache in use, 0 to 1
)

// Counters count up.
const (
	PrefixQueries   Meaning = "prefix_queries"
	PrefixHits      Meaning = "prefix_hits"
	Preemptions     Meaning = "preemptions"
	PromptTokens    Meaning = "prompt_tokens"
	GeneratedTokens Meaning = "generated_tokens"
	Finished        Meaning = "finished" // requests
	Drafts          Meaning = "drafts"
	DraftTokens     Meaning = "draft_tokens"
	AcceptedTokens  Meaning = "accepted_tokens"
	EmittedTokens   Meaning = "emitted_tokens"
	IterationTokens Meaning = "iteration_tokens" // tokens of all steps: a histogram's sum
	Iterations      Meaning = "iterations"       // steps of the batch: its count
)

// Histograms, in seconds.
const (
	TTFT    Meaning = "ttft"
	ITL     Meaning = "itl"
	E2E     Meaning = "e2e"
	Queue   Meaning = "queue"
	Prefill Meaning = "prefill"
	Decode  Meaning = "decode"
)

// Course is what one server said over time. A value is NaN where it said nothing.
type Course struct {
	Target int
	At     []float64             // seconds since the run's zero
	Gauge  map[Meaning][]float64 // as it was
	Count  map[Meaning][]float64 // as it was counted: totals, not rates
}
