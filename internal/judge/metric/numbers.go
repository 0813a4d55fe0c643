package metric

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/row"
)

// Totals are what numbers of the whole run are made of.
type Totals struct {
	Duration                  float64 // seconds
	Requests                  int     // that were measured
	Completed, Failed         int
	Fleet                     bool // several clients sent the run; of its list:
	Lost, Unsent              int
	HangsUp                   bool // clients were to hang up; of that:
	HungUp                    int
	ForNobody                 *float64 // tokens that were generated at most for those; nil: not known
	InputTokens, OutputTokens int64    // of the successes
	Limited                   bool     // --goodput was given
	Good                      int      // successes that met every limit of it
	GoodTokens                int64    // their output tokens
	PeakTokens                *float64 // nil: not known
	PeakConcurrent            int
	// Of prompt tokens: by the workload's plan, by what was sent before, and from the server's cache; nil: not known.
	PlannedShare, SentShare, CachedShare *float64
	Thought                              bool     // some answers had reasoning:
	ThinkingShare                        *float64 // of the output tokens; nil: not known
	Jobs                                 bool     // the run had conversations; of them:
	CompleteJobs, FailedJobs             int
	GoodJobs                             *int // that met every limit on jobs; nil: there was none
	GPUs                                 int  // of the servers; 0: not known
	Speculative                          bool // the server decodes speculatively; of that:
	AcceptanceRate                       float64
	AcceptanceLength                     *float64 // nil: not known
	Pooling                              bool     // answers are vectors or scores: there are no output tokens
	Uncounted                            bool     // nobody counted the output tokens of some answers
	Inputs                               int64    // texts in the successes
	Sound                                float64  // seconds of sound in the successes
	Asked                                bool     // requests were questions; of those:
	Accuracy                             *float64 // by the task's own score; nil: nothing was answered
	Answers, NoAnswer, CutOff            int      // answered, and of these without an answer in them, and cut off
	AnswerTokens                         int64    // output tokens of the answered, as the server counted; 0: not known
	Faulted                              bool     // faults were made on purpose; of those:
	Recovery                             *float64 // seconds; nil: not known, or not within the run
	LostRequests                         int
	LostTokens                           int64

	// Of several replicas; nil: not known. Conversed: turns of conversations went to them.
	Replicated, Conversed              bool
	ReplicaSkew, ReplicaCoV, TurnsKept *float64

	// As the servers say of themselves; nil: they don't.
	ServerPreemptions, ServerWaiting, ServerCacheMax, ServerHitRate *float64
}

// perSecond is n / duration, and 0 where no time passed.
func (t *Totals) perSecond(n float64) float64 {
	if t.Duration <= 0 {
		return 0
	}
	return n / t.Duration
}

func (t *Totals) perHour(jobs int) float64 { return 3600 * t.perSecond(float64(jobs)) }

// counted is a number that output tokens are part of: NaN where nobody counted them.
func (t *Totals) counted(v float64) float64 {
	if t.Uncounted {
		return math.NaN()
	}
	return v
}

// prompted is a number that prompt tokens are part of: NaN where neither the server nor the plan counted any, which is not 0.
func (t *Totals) prompted(v float64) float64 {
	if t.InputTokens == 0 && t.Completed > 0 {
		return math.NaN()
	}
	return v
}

// ofAnswers is n / answers; NaN where nothing was answered.
func (t *Totals) ofAnswers(n float64) float64 {
	if t.Answers <= 0 {
		return math.NaN()
	}
	return n / float64(t.Answers)
}

// numbers are the rows of the whole run.
func numbers() []Metric {
	return []Metric{
		{
			Name: "request_throughput", Scope: PerRun, Unit: "req/s", Better: Higher, Doc: "completed / duration",
			Short: "Requests/s", Title: "Request throughput (req/s)", Label: "requests/s", Column: "req/s",
			Usual: Usual{Compare: once, List: once, Columns: once},
			Run:   func(t *Totals) (float64, bool) { return t.perSecond(float64(t.Completed)), true },
			Each:  func(*row.Row) float64 { return 1 },
		},
		{
			Name: "output_throughput", Scope: PerRun, Unit: "tok/s", Better: Higher, Doc: "total_output_tokens / duration",
			Short: "Output tok/s", Title: "Output token throughput (tok/s)", Label: "output tok/s", Column: "out tok/s",
			Usual: Usual{Compare: once, List: once, Columns: once, Index: once},
			Run:   func(t *Totals) (float64, bool) { return t.counted(t.perSecond(float64(t.OutputTokens))), !t.Pooling },
			Each:  func(r *row.Row) float64 { return float64(r.Output) },
		},
		{
			Name: "total_token_throughput", Scope: PerRun, Unit: "tok/s", Better: Higher, Doc: "(total_input_tokens + total_output_tokens) / duration",
			Short: "Total tok/s", Title: "Total token throughput (tok/s)", Label: "total tok/s", Column: "total tok/s",
			Usual: Usual{Compare: once, List: once},
			Run: func(t *Totals) (float64, bool) {
				return t.prompted(t.counted(t.perSecond(float64(t.InputTokens + t.OutputTokens)))), true
			},
			Each: func(r *row.Row) float64 { return float64(r.Prompt) + float64(r.Output) },
		},
		{
			Name: "request_goodput", Scope: PerRun, Alias: "goodput", Unit: "req/s", Better: Higher, Doc: "successes that met every --goodput target / duration",
			Short: "Goodput req/s", Title: "Request goodput (req/s)", Label: "good requests/s", Column: "good req/s",
			Usual: Usual{Compare: once},
			Run:   func(t *Totals) (float64, bool) { return t.perSecond(float64(t.Good)), t.Limited },
			Each: func(r *row.Row) float64 {
				if r.Good {
					return 1
				}
				return 0
			},
		},
		{
			Name: "output_token_goodput", Scope: PerRun, Unit: "tok/s", Better: Higher, Doc: "output tokens of the successes that met every --goodput target / duration",
			Title: "Output token goodput (tok/s)", Label: "good output tok/s", Column: "good tok/s",
			Run: func(t *Totals) (float64, bool) { return t.perSecond(float64(t.GoodTokens)), t.Limited },
		},
		{
			Name: "max_output_tokens_per_s", Scope: PerRun, Unit: "tok/s", Better: Higher, Doc: "the most output tokens in one of the seconds since the first send",
			Title: "Peak output token throughput (tok/s)", Label: "peak output tok/s", Column: "peak tok/s",
			Run: func(t *Totals) (float64, bool) { return known(t.PeakTokens), !t.Pooling },
		},
		{
			Name: "max_concurrent_requests", Scope: PerRun, Unit: "requests", Doc: "the most requests that were open at one moment",
			Title: "Peak concurrent requests", Column: "most at once",
			Run: func(t *Totals) (float64, bool) { return float64(t.PeakConcurrent), true },
		},
		{
			Name: "total_input_tokens", Scope: PerRun, Unit: "tokens", Doc: "prompt tokens of the successes, as the server counted, else as planned; unknown where neither is known of any",
			Title: "Total input tokens", Column: "tokens in",
			Run: func(t *Totals) (float64, bool) { return t.prompted(float64(t.InputTokens)), true },
		},
		{
			Name: "total_output_tokens", Scope: PerRun, Unit: "tokens", Doc: "output tokens of the successes",
			Title: "Total generated tokens", Column: "tokens out",
			Run: func(t *Totals) (float64, bool) { return t.counted(float64(t.OutputTokens)), !t.Pooling },
		},
		{
			Name: "completed", Scope: PerRun, Unit: "requests", Better: Higher, Doc: "requests that succeeded", Share: true,
			Title: "Successful requests",
			Run:   func(t *Totals) (float64, bool) { return float64(t.Completed), true },
		},
		{
			Name: "failed", Scope: PerRun, Unit: "requests", Better: Lower, Doc: "requests that did not succeed, whatever the outcome; those that their client ended on purpose are not among them", Share: true,
			Title: "Failed requests",
			Run:   func(t *Totals) (float64, bool) { return float64(t.Failed), true },
		},
		{
			Name: "lost", Scope: PerRun, Unit: "requests", Better: Lower, Doc: "requests of a fleet that may have been sent, and of which no agent has a record; they are among the failed", Share: true,
			Title: "Lost requests",
			Run:   func(t *Totals) (float64, bool) { return float64(t.Lost), t.Fleet },
		},
		{
			Name: "unsent", Scope: PerRun, Unit: "requests", Better: Lower, Doc: "requests of a fleet that were planned and certainly not sent; they count as no requests",
			Title: "Unsent requests",
			Run:   func(t *Totals) (float64, bool) { return float64(t.Unsent), t.Fleet },
		},
		{
			Name: "duration", Scope: PerRun, Unit: "s", Doc: "time from the start of the run to the end of its last request",
			Title: "Benchmark duration (s)", Column: "duration, s",
			Run: func(t *Totals) (float64, bool) { return t.Duration, true },
		},
		{
			Name: "jobs_per_hour", Scope: PerRun, Unit: "jobs/h", Better: Higher, Doc: "complete conversations / duration", OfJobs: true,
			Title: "Jobs per hour", Label: "jobs/h", Column: "jobs/h",
			Usual: Usual{Compare: once, Columns: once},
			Run:   func(t *Totals) (float64, bool) { return t.perHour(t.CompleteJobs), t.Jobs },
		},
		{
			Name: "jobs_per_gpu_hour", Scope: PerRun, Unit: "jobs/h", Better: Higher, Doc: "jobs_per_hour / --gpus", OfJobs: true,
			Title: "Jobs per GPU-hour", Label: "jobs/GPU-h", Column: "jobs/GPU-h",
			Usual: Usual{Compare: once},
			Run: func(t *Totals) (float64, bool) {
				return t.perHour(t.CompleteJobs) / float64(max(t.GPUs, 1)), t.Jobs && t.GPUs > 0
			},
		},
		{
			Name: "job_goodput", Scope: PerRun, Unit: "jobs/h", Better: Higher, Doc: "complete conversations that met every --goodput target on jobs / duration", OfJobs: true,
			Title: "Job goodput (jobs/h)", Label: "good jobs/h", Column: "good jobs/h",
			Usual: Usual{Compare: once},
			Run: func(t *Totals) (float64, bool) {
				if t.GoodJobs == nil {
					return 0, false
				}
				return t.perHour(*t.GoodJobs), true
			},
		},
		{
			Name: "failed_jobs", Scope: PerRun, Unit: "jobs", Better: Lower, Doc: "conversations of which a turn did not succeed", OfJobs: true,
			Title: "Failed jobs", Column: "failed jobs",
			Run: func(t *Totals) (float64, bool) { return float64(t.FailedJobs), t.Jobs },
		},
		{
			Name: "spec_decode_acceptance_rate", Scope: PerRun, Unit: "%", Doc: "accepted / proposed tokens of speculative decoding, as the server counted",
			Usual: Usual{Columns: once},
			Title: "Acceptance rate (%)", Label: "accepted %", Column: "accepted %",
			Run: func(t *Totals) (float64, bool) { return t.AcceptanceRate, t.Speculative },
		},
		{
			Name: "spec_decode_acceptance_length", Scope: PerRun, Unit: "tok/step", Doc: "1 + accepted tokens / drafts of speculative decoding, as the server counted",
			Usual: Usual{Columns: once},
			Title: "Acceptance length", Label: "accepted length", Column: "accepted length",
			Run: func(t *Totals) (float64, bool) { return known(t.AcceptanceLength), t.Speculative },
		},
		{
			Name: "total_input_sequences", Scope: PerRun, Unit: "inputs", Doc: "texts in the successes of a pooling backend; a query is none",
			Title: "Total input sequences", Column: "inputs",
			Run: func(t *Totals) (float64, bool) { return float64(t.Inputs), t.Pooling },
		},
		{
			Name: "input_sequence_throughput", Scope: PerRun, Unit: "inputs/s", Better: Higher, Doc: "total_input_sequences / duration",
			Title: "Input throughput (inputs/s)", Label: "inputs/s", Column: "inputs/s",
			Run: func(t *Totals) (float64, bool) { return t.perSecond(float64(t.Inputs)), t.Pooling },
		},
		{
			Name: "rtfx", Scope: PerRun, Unit: "×", Better: Higher, Doc: "seconds of sound in the successes / duration",
			Title: "RTFx (Inverse Real-Time Factor)", Label: "times real time", Column: "× real time",
			Run: func(t *Totals) (float64, bool) { return t.perSecond(t.Sound), t.Sound != 0 },
		},
		{
			Name: "accuracy", Scope: PerRun, Unit: "share", Better: Higher, Doc: "right answers / answers, by the first score of the task", OfQuestions: true,
			Short: "Accuracy", Title: "Accuracy", Label: "accuracy", Column: "accuracy",
			Usual: Usual{Compare: once, List: once, Columns: once, Page: once, Index: once},
			Run:   func(t *Totals) (float64, bool) { return known(t.Accuracy), t.Asked },
		},
		{
			Name: "no_answer_share", Scope: PerRun, Unit: "share", Better: Lower, Doc: "answers in which the first score of the task found none / answers", OfQuestions: true,
			Title: "Share without an answer", Label: "no answer", Column: "no answer",
			Run: func(t *Totals) (float64, bool) { return t.ofAnswers(float64(t.NoAnswer)), t.Asked },
		},
		{
			Name: "cut_off_share", Scope: PerRun, Unit: "share", Better: Lower, Doc: "answers that reached the limit of tokens / answers", OfQuestions: true,
			Title: "Share cut off at the limit", Label: "cut off", Column: "cut off",
			Run: func(t *Totals) (float64, bool) { return t.ofAnswers(float64(t.CutOff)), t.Asked },
		},
		{
			Name: "tokens_per_answer", Scope: PerRun, Unit: "tok/answer", Doc: "output tokens of the answers, as the server counted / answers", OfQuestions: true,
			Title: "Tokens per answer", Label: "tokens per answer", Column: "tok/answer",
			Run: func(t *Totals) (float64, bool) {
				if t.AnswerTokens <= 0 {
					return math.NaN(), t.Asked
				}
				return t.ofAnswers(float64(t.AnswerTokens)), t.Asked
			},
		},
		{
			Name: "thinking_share", Scope: PerRun, Unit: "%", Doc: "reasoning tokens / output tokens of the successes, as the server counted, else by the tokens of events",
			Title: "Share of thinking (%)", Label: "thinking %", Column: "thinking %",
			Run: func(t *Totals) (float64, bool) { return 100 * known(t.ThinkingShare), t.Thought },
		},
		{
			Name: "cached_share", Scope: PerRun, Unit: "%", Doc: "prompt tokens that the server took from its cache / prompt tokens, as it says, over the requests of which it says so",
			Title: "Cached prompt tokens (%)", Label: "cached %", Column: "cached %",
			Run: func(t *Totals) (float64, bool) {
				return 100 * known(t.CachedShare), t.CachedShare != nil || t.PlannedShare != nil || t.SentShare != nil
			},
		},
		{
			Name: "planned_cached_share", Scope: PerRun, Unit: "%", Doc: "prompt tokens that an earlier prompt began with, by the workload's plan or the recording / prompt tokens: what a cache without bounds would give",
			Title: "Cached prompt tokens, planned (%)", Label: "planned cached %", Column: "planned cached %",
			Run: func(t *Totals) (float64, bool) { return 100 * known(t.PlannedShare), t.PlannedShare != nil },
		},
		{
			Name: "sent_cached_share", Scope: PerRun, Unit: "%", Doc: "prompt tokens that an earlier prompt began with when they were sent, in whole blocks of the server's cache / prompt tokens: what a cache without bounds would give",
			Title: "Cached prompt tokens, as sent (%)", Label: "sent cached %", Column: "sent cached %",
			Run: func(t *Totals) (float64, bool) { return 100 * known(t.SentShare), t.SentShare != nil },
		},
		{
			Name: "input_throughput", Scope: PerRun, Unit: "tok/s", Better: Higher, Doc: "prompt tokens per second; other tools' results and the steady state have it",
			Label: "input tok/s",
		},
	}
}

// known is NaN for what is not known.
func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
