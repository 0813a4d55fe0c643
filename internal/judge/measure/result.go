package measure

import (
	"time"

	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/bounds"
	"github.com/inferometer/inferometer/internal/judge/hangups"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/job"
	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/judge/price"
	"github.com/inferometer/inferometer/internal/judge/recovery"
	"github.com/inferometer/inferometer/internal/judge/roles"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/rules"
	"github.com/inferometer/inferometer/internal/judge/sample"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// Result is everything that was measured of a run. Reports read it and compute
// nothing of their own. Fields with a json tag appear in the result file as they
// are, under the key "inferometer"; the others under vLLM's keys.
type Result struct {
	Run         *journal.Run
	End         *journal.End // nil when the run was killed
	Compat      string       // whose rules: "vllm", or empty for ours
	Partial     bool         // the run did not come to its planned end
	Interrupted string       // why not: killed, signal, deadline

	Duration                            float64 // seconds
	Completed, Failed                   int
	HungUp                              int              // ended by the client on purpose: neither
	HangUps                             *hangups.Summary // what became of those; nil: nobody was to hang up
	InputTokens, OutputTokens           int64
	Inputs                              int64   // texts in the successes
	Sound                               float64 // seconds of sound in them
	RequestThroughput, OutputThroughput float64
	TotalTokenThroughput                float64
	Goodput                             *float64 // nil when no target was set
	PeakTokensPerSecond                 *float64 // nil: not known, see TokensInTime
	Cached                              CacheShare
	PeakConcurrent                      int           // by the rules in force
	PeakConcurrency                     int           // as it was, under any rules
	SpecDecode                          *SpecDecode   // nil when the server has none
	Metrics                             []MetricStats // those asked for, in the order of metric.All
	Requests                            int           // that were measured, those that are lost among them
	Lost, Unsent                        int           // of a fleet: may have been sent, and no agent has a record; were not
	Rows                                []row.Row     // every measured request, by index; nil if more than RowLimit
	Details                             []Detail      // parallel to Rows; nil unless asked for
	Outcomes                            []OutcomeCount
	Errors                              []ErrorCount // the most frequent, ten at most
	Latency                             Latency
	InterChunk                          Summary
	TPOT                                Summary
	More                                []MetricSummary // of the other metrics that each result has; see Summary
	Stalls                              *Stalls         // nil where there is no median to hold gaps against
	Limits                              *Goodput        // nil when no target was set
	InterToken                          InterToken
	TokensPerEvent                      TokensPerEvent
	TokensInTime                        TokensInTime
	Tokens                              Tokens
	Client                              Client
	Bounds                              *bounds.Bounds // what is known of times that several events share
	Confidence                          Confidence
	Until                               *UntilState        // nil where the run had no goal
	SteadyState                         *SteadyState       // nil where it does not apply or was never reached
	Replicas                            *Replicas          // nil in a run against one server of which nobody knows more
	Agents                              *Agents            // nil in a run of one client
	ByTurn                              *Groups            // nil without conversations
	Thinking                            *Thinking          // nil where no answer had reasoning
	ByAdapter                           *Groups            // nil where no request named an adapter
	Jobs                                *Jobs              // nil without conversations
	Rollouts                            *job.Rollouts      // nil where requests were not sent in batches
	Economy                             *price.Economy     // nil where neither a price nor a power was given
	Hardware                            *hardware.Summary  // nil where no device was asked
	Probe                               *Probe             // nil where none was asked for
	Eval                                *score.Result      // nil where requests were no questions
	Server                              *serving.Summary   // nil where the servers told nothing of themselves
	Recovery                            *recovery.Recovery // nil where no fault was made on purpose
	Roles                               *roles.Roles       // nil where prefill and decode are not apart
	Rules                               *rules.Judgement   // nil where the run is not judged by the rules of others
	Warnings                            []string
}

// Date is the local time at which the run ended, as vLLM writes it.
func (r *Result) Date() string {
	ended := time.Unix(0, r.Run.StartUnixNs+int64(r.Duration*1e9))
	return ended.In(r.Zone()).Format("20060102-150405")
}

// Zone is the place of the run, not of the reader. UTC where the journal does not say.
func (r *Result) Zone() *time.Location {
	t, err := time.Parse("-07:00", r.Run.Zone)
	if err != nil {
		return time.UTC
	}
	_, offset := t.Zone()
	return time.FixedZone(r.Run.Zone, offset)
}

// GaveUp is why a probe was left before its time; empty: it was not.
func (r *Result) GaveUp() string {
	if r.End == nil || r.End.Stopped == journal.UntilReached || r.End.Stopped == journal.BoundReached {
		return ""
	}
	return r.End.Stopped
}

// MetricStats are a metric and its statistics.
type MetricStats struct {
	Metric metric.Metric
	Stats  sample.Stats
}

// MetricSummary is a metric and its distribution.
type MetricSummary struct {
	Metric metric.Metric
	Summary
}

// OutcomeCount is how many requests ended in an outcome.
type OutcomeCount struct {
	Outcome journal.Outcome
	Count   int
}

// ErrorCount is how many requests failed with a message.
type ErrorCount struct {
	Outcome journal.Outcome `json:"outcome"`
	Message string          `json:"message"`
	Count   int             `json:"count"`
}

// Summary is a distribution of durations.
type Summary struct {
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P99   float64 `json:"p99_ms"`
	P999  float64 `json:"p999_ms"`
	Max   float64 `json:"max_ms"`
	Count int     `json:"count"`
	Error float64 `json:"relative_error,omitempty"` // bound, where values were too many to keep
}

func summarize(s *sample.Sample) Summary {
	st := s.Stats([]float64{50, 90, 99, 99.9})
	p := st.Percentiles
	return Summary{
		Mean: st.Mean, P50: p[0].Value, P90: p[1].Value, P99: p[2].Value, P999: p[3].Value,
		Max: st.Max, Count: st.N, Error: st.Error,
	}
}

// Latency is the same latencies from two moments: when a request was sent, as
// other tools count, and when it was due, as a user of the server feels it.
type Latency struct {
	Sent LatencyFrom `json:"sent"`
	Due  LatencyFrom `json:"due"`
}

// LatencyFrom are the latencies of the successes from one moment.
type LatencyFrom struct {
	TTFT       Summary `json:"ttft"`
	FirstToken Summary `json:"first_token"` // to the first event with text, reasoning or a tool call
	E2EL       Summary `json:"e2el"`

	// FirstVisible is to the first text of the answer itself, after any reasoning;
	// its count is of the successes that had such text.
	FirstVisible Summary `json:"first_visible"`
}

// enough says whether a number that some of the successes have speaks for all. Those
// that lack it are no random choice: of a server that decodes speculatively, the
// answers whose tokens are known event by event are those that it guessed nothing of.
func enough(have, all int) bool { return have > 0 && float64(have) >= Coverage*float64(all) }

// Coverage is the share of the successes that a number must cover to be shown.
const Coverage = 0.95

// InterToken is the time between tokens, where the tokens of each event are known.
type InterToken struct {
	Known    bool     `json:"known"`            // for enough successes
	Reason   string   `json:"reason,omitempty"` // why not, or not for all
	By       []string `json:"by"`               // how they are known
	Requests int      `json:"requests"`         // successes that have it
	Summary  *Summary `json:"summary"`          // nil where it is not known
}

// TokensInTime says how well it is known when tokens arrived, on which the steady
// state, the peak and the course of the tokens rest.
type TokensInTime struct {
	Known  bool   `json:"known"`
	Reason string `json:"reason,omitempty"`   // why not
	Exact  int    `json:"requests_exact"`     // successes of which the tokens of each event are known
	Spread int    `json:"requests_spread"`    // whose total is spread over their events
	Events int    `json:"requests_by_events"` // whose events were counted for want of tokens
}

// TokensPerEvent says how coarse the stream was.
type TokensPerEvent struct {
	Known  bool    `json:"known"`
	Mean   float64 `json:"mean"` // output tokens / events that carry any, over the successes
	Max    int     `json:"max"`  // in one event; 0 where not known
	Events int64   `json:"events"`
}

// Tokens are asked for and got, over all measured requests.
type Tokens struct {
	PromptPlanned int64 `json:"prompt_planned"`
	PromptCounted int64 `json:"prompt_counted"` // by the server, where it said
	PromptCached  int64 `json:"prompt_cached"`  // as the server says
	OutputAsked   int64 `json:"output_asked"`
	OutputGot     int64 `json:"output_got"` // failures included
	// Requests by where their number of output tokens comes from.
	ByUsage     int `json:"requests_by_usage"`
	ByTokenizer int `json:"requests_by_tokenizer"`
	ByEvents    int `json:"requests_by_events"`
}

// HitShares are how much of the prompts a prefix cache has, by the three who know: 0 to 1; nil: not known.
type HitShares struct {
	// Planned is what a cache without bounds would have by the workload's plan or the recording, if each
	// prompt were computed before the next comes.
	Planned *float64
	// Sent is what one would have of the prompts as they were sent, in whole blocks of the server's cache.
	Sent *float64
	// Measured is what the server says. Without one of the others, and where it took nothing from its
	// cache, nobody has asked.
	Measured *float64
}

// CacheShare is that of all prompts, and in time.
type CacheShare struct {
	HitShares
	Course []HitSlot // nil: none of the three is known
}

// HitSlot is that of the prompts that were sent in a stretch of time, in seconds of the run.
type HitSlot struct {
	From, Width float64
	HitShares
}

// Client is the client's measurement of itself.
type Client struct {
	Stamps         string         `json:"stamps"`       // kernel or user: what the times of events are
	Lag            *sample.Spread `json:"lag"`          // from the kernel to our code; nil with user times
	Lateness       *sample.Spread `json:"lateness"`     // sent − due; nil in a closed loop
	ReleaseLag     *sample.Spread `json:"release_lag"`  // released − due: our scheduler alone, no wait for a slot
	Events         int64          `json:"events"`       // of all measured requests
	SharedReads    int64          `json:"shared_reads"` // events that lay in one read with the one before
	UnstampedReads int64          `json:"unstamped_reads"`
	Cost           *Cost          `json:"cost"` // nil when the run was killed
}

// Cost is what the run cost the client.
type Cost struct {
	CPU      float64 `json:"cpu_s"`
	CPUShare float64 `json:"cpu_share"` // of the processors it may use, over the duration: 0 to 1
	MaxRSS   int64   `json:"max_rss_bytes"`
	GCPause  float64 `json:"gc_pause_ms"`
	GCCount  int     `json:"gc_count"`
}

// SpecDecode is the server's speculative decoding over the run.
type SpecDecode struct {
	AcceptanceRate   float64  // percent
	AcceptanceLength *float64 // tokens per verification step; nil: not known
	Drafts           int64    // verification steps; 0: not known
	DraftTokens      int64
	Accepted         int64
	PerPosition      []float64 // fractions
}

// specDecode is what the server's counters say; nil where they say nothing, or go
// back because it was started again.
func specDecode(d *journal.SpecDecode) *SpecDecode {
	if d == nil || d.DraftTokens <= 0 || d.Accepted < 0 || d.Drafts < 0 {
		return nil
	}
	s := &SpecDecode{
		AcceptanceRate: float64(d.Accepted) / float64(d.DraftTokens) * 100,
		Drafts:         d.Drafts, DraftTokens: d.DraftTokens, Accepted: d.Accepted,
		PerPosition: make([]float64, len(d.PerPosition)),
	}
	if d.Drafts == 0 {
		return s
	}
	length := 1 + float64(d.Accepted)/float64(d.Drafts)
	if d.Emitted > 0 { // vLLM's engine V0 also counts accepted tokens behind a rejected one
		length = float64(d.Emitted) / float64(d.Drafts)
	}
	s.AcceptanceLength = &length
	for i, n := range d.PerPosition {
		s.PerPosition[i] = float64(n) / float64(d.Drafts)
	}
	return s
}

// Detail is the rest of a request, kept only for detailed results.
type Detail struct {
	ITL   []float64 // seconds between token chunks
	Text  string
	Error string // empty for a success
}
