// Package live is a run as it goes on: what a display, an exporter or a parent process is
// told now and then. Nothing here is a result: those come from the journal.
//
//	load ─▶ Meter ─▶ State ─▶ Feed ─▶ the view of a terminal, --events, --prometheus, --otlp, a parent
package live

// State is a run at one moment. It travels as one line of JSON: --events writes it, a child
// tells its parent with it. What is not known is absent.
type State struct {
	Time  int64   `json:"time"` // Unix, nanoseconds
	At    float64 `json:"at"`   // seconds since the load began; below 0: it has not
	Phase Phase   `json:"phase"`
	Name  string  `json:"name,omitempty"` // of the run: its folder, a point of a plan

	Total  int     `json:"total,omitempty"`  // requests to come; 0: not known
	Length float64 `json:"length,omitempty"` // seconds of a run that ends by time; 0: not known
	Left   float64 `json:"left,omitempty"`   // seconds, an estimate; 0: not known

	Sent      int64 `json:"sent"`
	InFlight  int64 `json:"in_flight"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	HungUp    int64 `json:"hung_up,omitempty"` // ended on purpose: neither
	Tokens    int64 `json:"tokens"`
	Jobs      int64 `json:"jobs,omitempty"`       // conversations that are open
	JobsEnded int64 `json:"jobs_ended,omitempty"` // and that were

	Primed  int64 `json:"primed,omitempty"` // of the Primers that fill the server's cache, while they are sent
	Primers int64 `json:"primers,omitempty"`

	// Of the last ten seconds, or of the run where it is younger.
	TokensPerS   float64 `json:"tokens_per_s"`
	RequestsPerS float64 `json:"requests_per_s"` // that ended as a success
	TTFT         Window  `json:"ttft,omitzero"`
	ITL          Window  `json:"itl,omitzero"` // between token chunks
	Lag          Window  `json:"lag,omitzero"` // from the kernel's receipt to our code

	Outcomes   map[string]int64 `json:"outcomes,omitempty"` // of those that ended, by kind
	FirstError string           `json:"first_error,omitempty"`

	Servers []Server `json:"servers,omitempty"`
	SLO     []Clause `json:"slo,omitempty"`
	Agents  []Agent  `json:"agents,omitempty"` // of a fleet
	Note    string   `json:"note,omitempty"`   // what else there is to say

	Pausable bool `json:"pausable,omitempty"` // somebody can pause the pace
}

// Phase is what a run does now.
type Phase string

// The phases, in their order; a run may pause several times.
const (
	Preparing Phase = "preparing"
	WarmingUp Phase = "warming_up"
	Running   Phase = "running"
	Paused    Phase = "paused"
	Draining  Phase = "draining"
	Ended     Phase = "ended"
)

// Window are latencies of the last seconds, in milliseconds.
type Window struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
}

// Server is what a server's own metrics say now; nil is what it does not tell.
type Server struct {
	Running    *float64 `json:"running,omitempty"`
	Waiting    *float64 `json:"waiting,omitempty"`
	CacheUse   *float64 `json:"cache_use,omitempty"` // 0 to 1
	Preempted  *float64 `json:"preempted,omitempty"` // since the load began
	TokensPerS *float64 `json:"tokens_per_s,omitempty"`
}

// Clause is one part of an SLO so far.
type Clause struct {
	Text  string   `json:"text"`            // as the user wrote it
	Value *float64 `json:"value,omitempty"` // so far, in the clause's unit; nil: not known
	Holds *bool    `json:"holds,omitempty"` // nil: not known
}

// Agent is one of a fleet's.
type Agent struct {
	Name   string `json:"name"`
	Phase  string `json:"phase"`
	Sent   int64  `json:"sent"`
	Ended  int64  `json:"ended"`
	Silent bool   `json:"silent,omitempty"`
}

// Estimate is the time to the end in seconds, from the share of the requests that is done and
// the seconds in which the pace stood still; 0: not known.
func (s *State) Estimate(share, stood float64) float64 {
	went := s.At - stood
	switch {
	case s.Phase == Ended || went <= 0:
		return 0
	case s.Total <= 0:
		share = 0
	}
	if s.Length > 0 { // by its time or by its requests, whichever comes first
		share = max(share, went/s.Length)
	}
	if share <= 0 || share >= 1 {
		return 0
	}
	return went * (1/share - 1)
}
