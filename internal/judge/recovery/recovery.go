// Package recovery says what users felt of faults that were made on purpose: which requests were lost, and from which
// moment on those that are sent get again what they got before.
//
//	row.Pass ─▶ Collector (some 40 bytes a request) ─┐
//	journal.Fault ─────────────────────────────────┴▶ before ─▶ signals ─▶ scan ─▶ Episode
//
// What is normal is the time before the first fault. A request is held against it by four signals: its first token, whether
// it was good, the longest pause of its stream, and, of all together, tokens per second. Each is looked through
// for a spell in which it is worse more often than chance explains (scan.go); the system has recovered when the last such
// spell is seen to be over. Faults that come before that are one episode.
package recovery

import "github.com/inferometer/inferometer/internal/journal"

// Within is how much worse than before is as before, where nobody says.
const Within = 0.10

// Recovery is what was felt of all faults of a run.
type Recovery struct {
	Within   float64   `json:"within"`             // of before: so much worse counts as recovered
	Before   Before    `json:"before"`             // what was normal
	Episodes []Episode `json:"episodes"`           // in the order of time
	NotDone  []Fault   `json:"not_done,omitempty"` // faults that could not be made
	Unknown  string    `json:"unknown,omitempty"`  // why no recovery can be told; empty: it can
}

// Before is the time before the first fault.
type Before struct {
	Seconds  float64  `json:"seconds"`
	Requests int      `json:"requests"` // that were sent and ended in it
	Failed   int      `json:"failed"`
	TTFT     *float64 `json:"p99_ttft_ms"` // nil: not known, as of answers in one piece
	Tokens   *float64 `json:"output_tokens_per_s"`
	// How long answers were in flight: what a server must wait for its last ones when it is told to stop. P999 is nil
	// where they are too few for it.
	Longest *float64 `json:"longest_s"`
	P999    *float64 `json:"p99_9_s"`
}

// Fault is one that was made, or not.
type Fault struct {
	At     float64  `json:"at_s"`             // seconds since the run's zero
	Done   *float64 `json:"done_s,omitempty"` // when it was done; nil: not known
	Do     string   `json:"do"`
	On     string   `json:"on,omitempty"`
	Detail string   `json:"detail,omitempty"`
	Error  string   `json:"error,omitempty"`
}

// State is how an episode ended.
type State string

// The states.
const (
	NoEffect  State = "no effect seen"
	Recovered State = "recovered"
	Cut       State = "not within the run"
	NotKnown  State = "not known"
)

// Episode is one fault, or several of which each came before the system had recovered from the one before.
type Episode struct {
	Faults []Fault `json:"faults"`
	State  State   `json:"state"`
	// Seconds is from the first fault to the recovery; 0: no effect was seen, nil: not known or not within the run.
	Seconds *float64 `json:"recovery_s"`
	// SinceLast is the same from when the last fault was done, such as the start of a server that was killed.
	SinceLast *float64 `json:"recovery_since_last_s,omitempty"`
	// AtLeast is how long it was watched, where it had not recovered at the end of the run.
	AtLeast *float64 `json:"recovery_at_least_s,omitempty"`
	Signals []Signal `json:"signals"`

	Ended    int `json:"ended"` // requests that ended in it
	InFlight int `json:"in_flight"`
	// Lost are those that failed: in flight at the fault, sent while it was felt, or, where none had failed before, after it.
	Lost         int            `json:"lost_requests"`
	InFlightLost int            `json:"in_flight_lost"`
	LostTokens   int64          `json:"lost_tokens"` // that had come of answers which were lost then
	Outcomes     []OutcomeCount `json:"outcomes"`    // of the lost
	Indexes      []int          `json:"lost"`        // the first of them, by their index in the workload
	FirstFailure *float64       `json:"first_failure_s"`
	LastFailure  *float64       `json:"last_failure_s"`
	PeakFailures int            `json:"peak_failures_per_s"`
	Retried      int            `json:"completed_by_retry"` // as a gateway says of its answers
	// Tokens is the mean of output tokens per second while it was felt; nil: it was not felt.
	Tokens *float64 `json:"output_tokens_per_s"`

	from, to int64 // on the run's clock: from the first fault to the next episode
	end      int64 // of what was felt; from: nothing was
}

// OutcomeCount is how many were lost in one way.
type OutcomeCount struct {
	Outcome journal.Outcome `json:"outcome"`
	Count   int             `json:"count"`
}

// Signal is one of the things by which a recovery is seen.
type Signal struct {
	Name    string   `json:"name"` // ttft, goodput, gaps, throughput
	State   State    `json:"state"`
	Seconds *float64 `json:"recovery_s"`
	Limit   *float64 `json:"limit"`             // what was held against: ms, a share of requests, or tokens per second
	Unknown string   `json:"unknown,omitempty"` // why it says nothing
	end     int64
}

// Words are what the signals are called.
func (s *Signal) Words() string {
	switch s.Name {
	case ttft:
		return "p99 TTFT"
	case gaps:
		return "gaps between tokens"
	}
	return s.Name
}

// Worst is the longest recovery. ok is false where one is not known; cut: one was not seen before the end of the run, and
// seconds is how long the run went on.
func (r *Recovery) Worst() (seconds float64, cut, ok bool) {
	ok = len(r.Episodes) > 0
	for i := range r.Episodes {
		switch e := &r.Episodes[i]; {
		case e.AtLeast != nil:
			seconds, cut = max(seconds, *e.AtLeast), true
		case e.Seconds != nil:
			seconds = max(seconds, *e.Seconds)
		default:
			ok = false
		}
	}
	return seconds, cut, ok || cut
}

// Lost are the requests and tokens that were lost in all episodes.
func (r *Recovery) Lost() (requests int, tokens int64) {
	for i := range r.Episodes {
		requests, tokens = requests+r.Episodes[i].Lost, tokens+r.Episodes[i].LostTokens
	}
	return requests, tokens
}

// LostBy are the requests that were lost, by their outcome.
func (r *Recovery) LostBy() map[journal.Outcome]int {
	by := map[journal.Outcome]int{}
	for i := range r.Episodes {
		for _, o := range r.Episodes[i].Outcomes {
			by[o.Outcome] += o.Count
		}
	}
	return by
}

// Faults is how many were made.
func (r *Recovery) Faults() (n int) {
	for i := range r.Episodes {
		n += len(r.Episodes[i].Faults)
	}
	return n
}
