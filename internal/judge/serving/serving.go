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
	Running       Meaning = "running"         // requests in the batch
	Waiting       Meaning = "waiting"         // requests in the queue
	Swapped       Meaning = "swapped"         // requests moved out of the batch
	InFlight      Meaning = "in_flight"       // requests inside, in the batch or not, where a server does not tell them apart
	CacheUse      Meaning = "cache_use"       // share of the KV cache in use, 0 to 1
	PrefixHitRate Meaning = "prefix_hit_rate" // 0 to 1, of whatever time the server takes
)

// Counters count up.
const (
	PrefixQueries   Meaning = "prefix_queries" // prompt tokens that were looked for in the cache
	PrefixHits      Meaning = "prefix_hits"    // prompt tokens that were found in it
	Preemptions     Meaning = "preemptions"
	PromptTokens    Meaning = "prompt_tokens"
	ComputedTokens  Meaning = "computed_tokens" // prompt tokens that were not found in the cache
	GeneratedTokens Meaning = "generated_tokens"
	Finished        Meaning = "finished" // requests, however they ended
	Aborted         Meaning = "aborted"  // of those: the client went away
	Failed          Meaning = "failed"   // requests that the server could not answer
	Drafts          Meaning = "drafts"
	DraftTokens     Meaning = "draft_tokens"
	AcceptedTokens  Meaning = "accepted_tokens"
	EmittedTokens   Meaning = "emitted_tokens"
	IterationTokens Meaning = "iteration_tokens" // tokens of all steps: a histogram's sum
	Iterations      Meaning = "iterations"       // steps of the batch: its count
	PrefillSeconds  Meaning = "prefill_seconds"  // time in which prompts were computed, where there is no histogram of it
	DecodeSeconds   Meaning = "decode_seconds"
	QueueSeconds    Meaning = "queue_seconds"

	// Of what stands before servers, or between them.
	Received       Meaning = "received"        // requests that came in over HTTP, however they were answered
	Retries        Meaning = "retries"         // requests that a router sent again
	Migrations     Meaning = "migrations"      // streams that went on on another server
	TransferFailed Meaning = "transfer_failed" // caches that were not moved
	TransferBytes  Meaning = "transfer_bytes"  // of caches that were moved between servers
	LocalHits      Meaning = "local_hits"      // prompt tokens from the server's own cache
	Transferred    Meaning = "transferred"     // prompt tokens whose cache another server computed
)

// More gauges, of the same kind.
const (
	QueuedInRouter Meaning = "queued_in_router" // requests that wait before a server was chosen
	AwaitTransfer  Meaning = "await_transfer"   // requests whose cache is on its way
)

// Histograms, in seconds.
const (
	TTFT      Meaning = "ttft"
	ITL       Meaning = "itl"
	E2E       Meaning = "e2e"
	Queue     Meaning = "queue"
	Prefill   Meaning = "prefill"
	Decode    Meaning = "decode"
	Inference Meaning = "inference" // prefill and decode together
	Transfer  Meaning = "transfer"  // moving the cache from prefill to decode
)

// Sum and Count are a histogram's two totals, as counters of their own: what grew between
// two scrapes, divided, is the mean of that time.
func (m Meaning) Sum() Meaning { return m + "_sum" }

// Count: see Sum.
func (m Meaning) Count() Meaning { return m + "_count" }

// Kind is how values of a meaning are put together.
type Kind int

// A share is a gauge that can't be added up.
const (
	Gauge Kind = iota
	Share
	Counter
	Histogram
)

// Known is a meaning with its words.
type Known struct {
	Meaning Meaning
	Kind    Kind
	Doc     string
}

// Meanings are all of them, in the order in which people read them.
var Meanings = []Known{
	{Running, Gauge, "requests in the batch"},
	{Waiting, Gauge, "requests in the queue"},
	{Swapped, Gauge, "requests that were moved out of the batch"},
	{InFlight, Gauge, "requests inside, where running and waiting are not told apart"},
	{CacheUse, Share, "share of the KV cache in use"},
	{PrefixHitRate, Share, "share of prompt tokens found in the cache, as the server averages it"},
	{QueuedInRouter, Gauge, "requests that wait in a router, before a server was chosen"},
	{AwaitTransfer, Gauge, "requests whose cache is on its way from another server"},
	{PrefixQueries, Counter, "prompt tokens that were looked for in the cache"},
	{PrefixHits, Counter, "prompt tokens that were found in it"},
	{Preemptions, Counter, "sequences evicted from the batch for lack of memory"},
	{PromptTokens, Counter, "prompt tokens, cached ones too"},
	{ComputedTokens, Counter, "prompt tokens without cached ones"},
	{GeneratedTokens, Counter, "generated tokens"},
	{Finished, Counter, "requests that ended, however they did"},
	{Aborted, Counter, "of those: aborted"},
	{Failed, Counter, "requests that the server could not answer"},
	{Drafts, Counter, "speculative decoding: verification steps"},
	{DraftTokens, Counter, "speculative decoding: drafted tokens"},
	{AcceptedTokens, Counter, "speculative decoding: accepted tokens"},
	{EmittedTokens, Counter, "speculative decoding: tokens that the steps gave"},
	{IterationTokens, Counter, "tokens of all steps of the batch"},
	{Iterations, Counter, "steps of the batch"},
	{PrefillSeconds, Counter, "seconds in which prompts were computed"},
	{DecodeSeconds, Counter, "seconds in which tokens were generated"},
	{QueueSeconds, Counter, "seconds that requests waited"},
	{Received, Counter, "requests that came in, however they were answered"},
	{Retries, Counter, "requests that a router sent again"},
	{Migrations, Counter, "answers that went on on another server"},
	{TransferFailed, Counter, "caches that could not be moved from prefill to decode"},
	{TransferBytes, Counter, "bytes of caches that were moved"},
	{LocalHits, Counter, "prompt tokens from the server's own cache"},
	{Transferred, Counter, "prompt tokens whose cache came from another server"},
	{TTFT, Histogram, "time to the first token"},
	{ITL, Histogram, "time between tokens"},
	{E2E, Histogram, "time of a whole request"},
	{Queue, Histogram, "time in the queue"},
	{Prefill, Histogram, "time in which a prompt is computed"},
	{Decode, Histogram, "time from the first token to the last"},
	{Inference, Histogram, "time in the batch"},
	{Transfer, Histogram, "time in which a cache is moved from prefill to decode"},
}

var kinds = func() map[Meaning]Kind {
	out := map[Meaning]Kind{}
	for _, k := range Meanings {
		out[k.Meaning] = k.Kind
	}
	return out
}()

// KindOf says how values of a meaning are put together; false: there is no such meaning.
func KindOf(m Meaning) (Kind, bool) {
	k, ok := kinds[m]
	return k, ok
}
