// Package explain says what limited a run, in sentences with their evidence, and where the
// time of a request went. It is a pure function of the journal:
//
//	row.Pass ─▶ Collector ─┐
//	samples, scrapes ──────┴─▶ facts ─▶ rules (the first that fits) ─▶ Explanation
//
// The rules are a table (rules.go), each with the thresholds that it needs and why. Where
// none fits the answer is "unclear", with what would have to be known: no answer is better
// than a wrong one. docs/explain.md has the reasoning.
package explain

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Limit is what kept a run from being faster.
type Limit string

// The limits. None: the load that was offered was served. Concurrency: the load itself was
// bounded, and the server had room.
const (
	Prefill     Limit = "prefill"
	Decode      Limit = "decode"
	Cache       Limit = "cache"
	Preempting  Limit = "preempting"
	Queueing    Limit = "queueing"
	Drafts      Limit = "drafts rejected"
	SlowReplica Limit = "slow replica"
	HotReplica  Limit = "hot replica"
	StaleIndex  Limit = "stale index"
	RouterQueue Limit = "router queue"
	Transfer    Limit = "transfer"
	Retried     Limit = "retries"
	Buffered    Limit = "buffered"
	Client      Limit = "client"
	Way         Limit = "way"
	Refused     Limit = "refused"
	Changed     Limit = "changed"
	Concurrency Limit = "concurrency"
	None        Limit = "none"
	Unclear     Limit = "unclear"
)

// Limits are all of them.
var Limits = []Limit{Prefill, Decode, Cache, Preempting, Queueing, Drafts, SlowReplica, HotReplica, StaleIndex, RouterQueue, Transfer, Retried, Buffered, Client, Way, Refused, Changed, Concurrency, None, Unclear}

var titles = map[Limit]string{
	Prefill:     "the server was busy processing prompts (prefill-bound)",
	Decode:      "the server was busy generating tokens (decode-bound)",
	Cache:       "the server's KV cache was full (cache-bound)",
	Preempting:  "the server evicted requests from its batch and recomputed them (preempting)",
	Queueing:    "the server's batch was full (queueing)",
	Drafts:      "the server's draft tokens were rejected (speculation)",
	SlowReplica: "one server was slower than the others (slow replica)",
	HotReplica:  "one replica had more to do than the others (hot replica)",
	StaleIndex:  "the router believed in caches that were gone (stale index)",
	RouterQueue: "requests waited in the router (router queue)",
	Transfer:    "decode waited for the cache to be moved from prefill (transfer)",
	Retried:     "requests were sent again behind the client's back (retries)",
	Buffered:    "answers were held back until they were whole (buffered)",
	Client:      "the client was the limit, not the server (client-bound)",
	Way:         "the path between client and server: the network, a proxy, or what stands in front of the engine (way)",
	Refused:     "requests were refused: a rate limit (refused)",
	Changed:     "the server did not stay the same during the run (changed)",
	Concurrency: "the requested concurrency; the server had spare capacity",
	None:        "nothing: the server handled the offered load",
	Unclear:     "unclear",
}

// Title is a limit in words.
func (l Limit) Title() string { return titles[l] }

// Explanation is what is said of a run.
type Explanation struct {
	// Verdict is whether the run can be trusted at all; nil: it was not judged.
	Verdict *Verdict `json:"verdict,omitempty"`

	Limit Limit    `json:"limit"`
	Title string   `json:"title"`
	Why   []string `json:"why"`            // the evidence, one sentence each
	Seen  []string `json:"seen,omitempty"` // what else was seen, and what was not the limit
	// Unknown is what would have helped, and is not in the journal.
	Unknown []string `json:"unknown,omitempty"`
	Next    string   `json:"next,omitempty"` // what to try; empty: nothing follows
	Time    Time     `json:"time"`
}

// Verdict is the run's, without its checks.
type Verdict struct {
	Level   verdict.Trust `json:"level"`
	Line    string        `json:"line"`
	Reasons []string      `json:"reasons"`
}

// String is the verdict in a line, with what it means for an explanation.
func (v *Verdict) String() string {
	switch v.Level {
	case verdict.TrustInvalid:
		return v.Line + "; an explanation of such a run is worth little"
	case verdict.TrustSuspect:
		return v.Line + "; read its reasons first"
	}
	return v.Line
}

// Input is what a run was, beside its requests.
type Input struct {
	Run     *journal.Run
	End     *journal.End // nil: the run was killed
	Samples []journal.Sample
	Scrapes []journal.Scrape
	Verdict *verdict.Verdict // nil: it was not judged
	Bounds  *bounds.Bounds   // by how much numbers may be off; nil: not known
}

// Explain is called once, after the last request.
func (c *Collector) Explain(in Input) *Explanation {
	f := newFacts(c, in)
	e := &Explanation{Limit: Unclear, Time: f.time()}
	if v := in.Verdict; v != nil {
		e.Verdict = &Verdict{v.Level, v.Line(), v.Reasons}
	}
	for _, r := range rules {
		if found := r(f); found != nil {
			e.Limit, e.Why, e.Next = found.limit, found.why, found.next
			break
		}
	}
	if e.Limit == Unclear && len(e.Why) == 0 {
		e.Why = f.noneFits()
	}
	e.Title = e.Limit.Title()
	e.Seen, e.Unknown = f.seen(e.Limit), f.unknown()
	return e
}
